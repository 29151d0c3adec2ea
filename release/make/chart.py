"""The chart as one file, which Helm installs and pushes to a registry."""

import os
import subprocess
import tempfile
from pathlib import Path

from release.make.packing import pack, unpack

from sandbox.binaries import Resolver, Tool
from sandbox.progress import Silent

CHART = Path(__file__).parents[2] / "charts" / "lockstep"


def package_chart(folder: Path, made: int) -> Path:
    """Have Helm package the chart, and write it with the time ``made`` in the place of Helm's own."""
    with tempfile.TemporaryDirectory() as home:
        [packaged] = _package(Path(home))
        target = folder / packaged.name
        pack(target, unpack(packaged), made)
    return target


def _package(home: Path) -> list[Path]:
    helm = Resolver.of_environment(Silent()).resolve(Tool.HELM).path
    # Nothing of the user's is read or changed.
    homes = {f"HELM_{kind}_HOME": str(home / kind.lower()) for kind in ("CACHE", "CONFIG", "DATA")}
    command = [str(helm), "package", str(CHART), f"--destination={home}"]
    subprocess.run(command, env=os.environ | homes, check=True, stdout=subprocess.DEVNULL)
    return [*home.glob("*.tgz")]
