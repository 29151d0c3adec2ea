"""``python -m e2e.kind.docker_programs FOLDER``: Debian's Docker there, unpacked; nothing is installed or started."""

import sys
import tempfile
from pathlib import Path

from e2e.members.image import download, unpack


def main(folder: Path) -> None:
    """Have the programs in ``folder``, unless they are there."""
    if (folder / "usr" / "sbin" / "dockerd").exists():
        return
    with tempfile.TemporaryDirectory() as packages:
        download(["docker.io"], Path(packages) / "archives")
        unpack(Path(packages) / "archives", folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
