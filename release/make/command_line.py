"""The command line as a wheel, with the lock of what it needs."""

import os
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
LOCK = ROOT / "image" / "locks" / "runtime.lock"


def write_command_line(folder: Path, version: str, made: int) -> tuple[Path, Path]:
    """Build the wheel into the folder, copy the lock beside it, and return both."""
    environment = os.environ | {"SOURCE_DATE_EPOCH": str(made)}
    subprocess.run([ROOT / "image" / "build-wheel.sh", folder], env=environment, check=True)
    lock = folder / f"lockstep-{version}.lock"
    shutil.copyfile(LOCK, lock)
    return folder / f"lockstep_operator-{version}-py3-none-any.whl", lock
