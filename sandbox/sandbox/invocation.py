"""Formats commands of this package so that they work when a user types them into the same shell."""

import os
import shlex
import sys
from pathlib import Path


def typed(*words: str) -> str:
    """Return `python -m sandbox` with these words, for the interpreter that runs now.

    If the shell has the virtual environment of this interpreter active, the interpreter is `python`. Otherwise it is a
    path, which is relative if it is below the current folder.
    """
    return shlex.join([_python(), "-m", "sandbox", *words])


def _python() -> str:
    if os.environ.get("VIRTUAL_ENV") == sys.prefix:
        return "python"
    python, here = Path(sys.executable), Path.cwd()
    return str(python.relative_to(here) if python.is_relative_to(here) else python)
