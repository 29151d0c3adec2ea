"""Which browser the tests drive: the one that sandbox/needs.sh has tried before they began."""

import os
import shutil
from pathlib import Path

NAMES = (Path(__file__).parent / "browsers.txt").read_text(encoding="utf-8").split()


def browser() -> str:
    """The path of the one that LOCKSTEP_CHROMIUM names, else of the first that is on PATH."""
    named = os.environ.get("LOCKSTEP_CHROMIUM")
    found = next(filter(None, map(shutil.which, [named] if named else NAMES)), None)
    assert found is not None, f"None of {', '.join(NAMES)} is on PATH: `make needs-of-tests` installs one."
    return found
