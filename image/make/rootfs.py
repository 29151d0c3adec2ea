"""``python -m image.make.rootfs FILE``: the operator's image without Docker, by the Dockerfile's own steps.

Its base is this machine's Python in the place of the Dockerfile's. So it is for this machine's architecture, and for
trying things out: what is shipped is built by Docker.
"""

import platform
import subprocess
import tempfile
from pathlib import Path

import click
from image.make.archive import write_archive
from image.make.base import add_base
from image.make.dockerfile import DOCKERFILE, Dockerfile, read, run_configuration

from sandbox.binaries.catalog import ARCHITECTURES

ROOT = Path(__file__).parents[2]
IMAGE = ROOT / "image"


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--name", required=True, help="Name and tag of the image.")
@click.option("--version", required=True, help="Version, for the labels.")
@click.option("--revision", required=True, help="Commit, for the labels.")
def main(file: Path, name: str, version: str, revision: str) -> None:
    """Make an image from this machine's Python, and write it to FILE as an archive."""
    dockerfile = read(DOCKERFILE.read_text(encoding="utf-8"))
    runs = run_configuration(dockerfile, VERSION=version, REVISION=revision)
    machine = platform.machine()
    file.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "root"
        fill(root, Path(folder) / "wheel", prefix_of(dockerfile))
        write_archive(file, root, name=name, architecture=ARCHITECTURES.get(machine, machine), runs=runs)
    click.echo(f"Wrote {file}: {name}, {file.stat().st_size / 2**20:.0f} MiB.")


def fill(root: Path, wheel: Path, prefix: str) -> None:
    """Build the wheel, and make ``root`` a root file system with all that runs it."""
    subprocess.run([IMAGE / "build-wheel.sh", wheel], check=True)
    root.mkdir(parents=True)
    subprocess.run([IMAGE / "install.sh", wheel, prefix, root], check=True)
    subprocess.run([IMAGE / "check.sh", f"{root}{prefix}"], check=True, stdout=subprocess.DEVNULL)
    add_base(root, prefix)


def prefix_of(dockerfile: Dockerfile) -> str:
    """Return the folder of the installation: what the last stage takes over from the one before."""
    return dockerfile.stages[-1].last("COPY").value.split()[-1]


if __name__ == "__main__":
    main()
