"""Archives whose bytes depend on their files and on one time, and on nothing of the machine that packs them."""

import gzip
import io
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

PROGRAM = 0o755
DATA = 0o644


class Packed(NamedTuple):
    """A file of an archive: its content, and its mode."""

    content: bytes
    mode: int = DATA


def pack(target: Path, files: Mapping[str, Packed], made: int) -> None:
    """Write a compressed archive of these files by name; ``made`` are seconds since 1970."""
    # The name of a target would become part of what gzip writes.
    with (
        target.open("wb") as file,
        gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=made) as compressed,
        tarfile.open(fileobj=compressed, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        for name, packed in sorted(files.items()):
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode, entry.mtime = len(packed.content), packed.mode, made
            archive.addfile(entry, io.BytesIO(packed.content))


def unpack(source: Path) -> dict[str, Packed]:
    """Return the files of an archive by name."""
    with tarfile.open(source) as archive:
        return {entry.name: _read(archive, entry) for entry in archive if entry.isfile()}


def _read(archive: tarfile.TarFile, entry: tarfile.TarInfo) -> Packed:
    content = archive.extractfile(entry)
    assert content is not None, "a file has content"
    return Packed(content.read(), entry.mode)
