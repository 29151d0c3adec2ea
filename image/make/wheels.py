"""``python -m image.make.wheels FOLDER``: all that the Dockerfile's steps install, for each platform of the image.

The steps may run where no index can be reached, so all is there before they begin: the project's wheel, and of each
locked package the wheel for the Python of the base.
"""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import click
from image.make.dockerfile import DOCKERFILE, read
from image.make.locks import markers_of
from image.make.locks import read as read_lock

IMAGE = Path(__file__).parents[1]
# By the name that Docker has for it.
MACHINES = {"linux/amd64": "x86_64", "linux/arm64": "aarch64"}
# The minor version of glibc in the base, Debian 12; and the oldest for which wheels are still built.
NEWEST_GLIBC, OLDEST_GLIBC = 36, 5


@click.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option("--platform", "platforms", type=click.Choice([*MACHINES]), multiple=True, required=True)
def main(folder: Path, platforms: Sequence[str]) -> None:
    """Fill FOLDER anew with the wheels of these platforms."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    subprocess.run([IMAGE / "build-wheel.sh", folder], check=True)
    python = read(DOCKERFILE.read_text(encoding="utf-8")).python
    with tempfile.NamedTemporaryFile("w", suffix=".lock", encoding="utf-8") as lock:
        lock.write(lock_for(python))
        lock.flush()
        for platform in platforms:
            subprocess.run(download_command(folder, lock.name, MACHINES[platform], python), check=True)
    click.echo(f"Wrote {folder}: {len([*folder.iterdir()])} wheels for {', '.join(platforms)}.")


def lock_for(python: str) -> str:
    """Return the lock of what that Python needs. In markers, pip would read the Python that runs it."""
    entries = read_lock((IMAGE / "locks" / "runtime.lock").read_text(encoding="utf-8"))
    return "".join(one.unconditional for one in entries if one.is_for(markers_of(python)))


def download_command(folder: Path, lock: str, machine: str, python: str) -> list[str]:
    """Return what downloads the wheels of that lock for that machine and that Python."""
    tags = [f"--platform=manylinux_2_{minor}_{machine}" for minor in range(NEWEST_GLIBC, OLDEST_GLIBC - 1, -1)]
    return [
        *(sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"),
        *("--only-binary", ":all:", "--no-deps", "--require-hashes", "--requirement", lock),
        *("--dest", str(folder), "--implementation", "cp", "--python-version", python.rpartition(".")[0], *tags),
    ]


if __name__ == "__main__":
    main()
