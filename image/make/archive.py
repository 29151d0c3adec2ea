"""A container image as one file, from a root file system: what `docker load` and `ctr images import` read."""

import hashlib
import io
import json
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def write_archive(target: Path, root: Path, *, name: str, architecture: str, runs: Mapping[str, Any]) -> None:
    """Write an image of one layer. Equal files give equal layers, whatever their owner and age."""
    layer = target.with_suffix(".layer")
    try:
        _write_layer(layer, root)
        configuration = {
            "architecture": architecture,
            "os": "linux",
            "config": runs,
            "rootfs": {"type": "layers", "diff_ids": [f"sha256:{_digest(layer)}"]},
        }
        manifest = [{"Config": "config.json", "RepoTags": [name], "Layers": ["layer.tar"]}]
        with tarfile.open(target, "w") as archive:
            _add_json(archive, "config.json", configuration)
            _add_json(archive, "manifest.json", manifest)
            archive.add(layer, "layer.tar", filter=_as_root_s)
    finally:
        layer.unlink(missing_ok=True)


def _write_layer(layer: Path, root: Path) -> None:
    with tarfile.open(layer, "w") as archive:
        for path in sorted(root.rglob("*")):
            archive.add(path, path.relative_to(root).as_posix(), recursive=False, filter=_as_root_s)


def _as_root_s(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    """Have root own it, and let everybody read what its owner may, since the operator is not root."""
    entry.uid = entry.gid = entry.mtime = 0
    entry.uname = entry.gname = "root"
    readable = entry.mode & 0o500
    entry.mode |= readable >> 3 | readable >> 6
    return entry


def _digest(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def _add_json(archive: tarfile.TarFile, name: str, document: Any) -> None:
    content = json.dumps(document).encode()
    entry = tarfile.TarInfo(name)
    entry.size = len(content)
    archive.addfile(entry, io.BytesIO(content))
