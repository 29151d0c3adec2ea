"""Reads files that other programs may change at any time and that may have any content."""

import os
import stat
from pathlib import Path

LIMIT = 256 * 1024
"""The most bytes that are read. They suffice for /proc/stat, whose first lines have 100 bytes for each processor."""


def read_text(path: Path, *, limit: int = LIMIT) -> str | None:
    """Return the first ``limit`` bytes of a regular file; None if there is no such file or it can't be read.

    Pipes are not opened: to open one for reading would wait for a writer. Some are among the files of logind.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return None
        with path.open("rb") as file:
            return file.read(limit).decode(errors="replace")
    except (OSError, ValueError):
        return None


def read_number(path: Path) -> int | None:
    """Return the whole number, at least 0, that is the content of a file; None for anything else."""
    return as_count(read_text(path, limit=64) or "")


def as_count(text: str) -> int | None:
    """Parse a whole number, at least 0, of at most 40 digits; None for anything else."""
    text = text.strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 40 else None


def names_in(folder: Path) -> list[str]:
    """Return the names in a folder, in no order; empty if it can't be read."""
    return [entry.name for entry in _entries(folder)]


def folders_in(folder: Path) -> list[str]:
    """Return the names of the folders in a folder, in no order; empty if it can't be read."""
    return [entry.name for entry in _entries(folder) if entry.is_dir(follow_symlinks=False)]


def is_folder(path: Path) -> bool:
    """Whether the path is known to be a folder."""
    try:
        return stat.S_ISDIR(path.stat().st_mode)
    except (OSError, ValueError):
        return False


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except (OSError, ValueError):
        return []
