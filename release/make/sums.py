"""The checksums of a release, in the form that ``sha256sum --check`` reads."""

import hashlib
from pathlib import Path

NAME = "SHA256SUMS"


def write_sums(folder: Path) -> None:
    """Write a line for each file of the folder."""
    files = sorted(path for path in folder.iterdir() if path.name != NAME)
    lines = [f"{digest(path)}  {path.name}\n" for path in files]
    (folder / NAME).write_text("".join(lines), encoding="ascii")


def digest(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal digits."""
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
