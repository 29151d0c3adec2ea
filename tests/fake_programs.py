"""Programs that only pretend, for tests of what starts them."""

from pathlib import Path


def put_program(folder: Path, name: str, script: str = "exit 0") -> Path:
    """Put an executable shell script into ``folder`` and return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / name
    program.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    program.chmod(0o755)
    return program
