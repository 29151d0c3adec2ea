"""The command line as a plug-in of kubectl: an archive for Krew, and the manifest that says where it is.

What Python and numpy need differs by platform and version. So the archive has the wheel and its lock, and a script that
installs both at the first call; it is the same for all platforms.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml
from release.make.packing import PROGRAM, Packed, pack
from release.make.sums import digest

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "release" / "kubectl-lockstep.sh"
CAVEATS = """\
The first call installs the plug-in, exactly as locked, from the index that pip is set up for. It needs Python 3.11
or newer with the module venv. The plug-in is then in $XDG_DATA_HOME/kubectl-lockstep, else in
~/.local/share/kubectl-lockstep. Delete that folder when you have uninstalled the plug-in.
"""
DESCRIPTION = """\
Lockstep places gangs: all pods of a parallel job, or none. The plug-in shows when and why gangs start,
what would happen to a manifest, and what all members of a gang log. It needs the operator's kinds in the cluster.
"""


def write_plug_in(folder: Path, parts: Sequence[Path], *, version: str, made: int, address: str) -> None:
    """Write the archive of these files and its manifest; the archive will be found below ``address``."""
    archive = folder / f"kubectl-lockstep-{version}.tar.gz"
    files = {path.name: Packed(path.read_bytes()) for path in (*parts, ROOT / "LICENSE")}
    pack(archive, files | {"kubectl-lockstep": Packed(SCRIPT.read_bytes(), PROGRAM)}, made)
    uri = f"{address.rstrip('/')}/{archive.name}"
    # Krew wants the file to have the name of the plug-in.
    text = yaml.safe_dump(manifest(version, uri, digest(archive)), sort_keys=False)
    (folder / "lockstep.yaml").write_text(text, encoding="utf-8")


def manifest(version: str, uri: str, sha256: str) -> dict[str, Any]:
    """Return what Krew reads."""
    platform = {
        "selector": {"matchLabels": {"os": "linux"}},
        "uri": uri,
        "sha256": sha256,
        "bin": "kubectl-lockstep",
    }
    return {
        "apiVersion": "krew.googlecontainertools.github.com/v1alpha2",
        "kind": "Plugin",
        "metadata": {"name": "lockstep"},
        "spec": {
            "version": f"v{version}",
            "shortDescription": "Show when and why gangs of pods start",
            "description": DESCRIPTION,
            "caveats": CAVEATS,
            "platforms": [platform],
        },
    }
