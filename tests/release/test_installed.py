"""The files of a release, as an administrator uses them: without the repository."""

import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
import yaml
from release.make.chart import package_chart
from release.make.packing import Packed, pack, unpack
from release.make.sums import digest

import lockstep

ROOT = Path(__file__).parents[2]
MADE = 1_700_000_000
ADDRESS = "https://downloads.example.com/lockstep"
CHART = f"lockstep-{lockstep.__version__}.tgz"
PLUG_IN = f"kubectl-lockstep-{lockstep.__version__}.tar.gz"
WHEEL = f"lockstep_operator-{lockstep.__version__}-py3-none-any.whl"
LOCK = f"lockstep-{lockstep.__version__}.lock"


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The folder of a release. tests/image starts what its image's archive would be."""
    folder = tmp_path_factory.mktemp("made")
    image = folder / "any.tar"
    pack(image, {"manifest.json": Packed(b"[]")}, made=MADE)
    options = [f"--version={lockstep.__version__}", f"--made={MADE}", f"--image={image}", f"--address={ADDRESS}"]
    subprocess.run([sys.executable, "-m", "release.make", folder / "release", *options], cwd=ROOT, check=True)
    return folder / "release"


def test_checksums_are_those_of_all_files(files):
    done = subprocess.run(
        ["sha256sum", "--check", "--strict", "SHA256SUMS"], cwd=files, capture_output=True, text=True, check=True
    )

    want_checked = {path.name for path in files.iterdir()} - {"SHA256SUMS"}
    assert {line.partition(":")[0] for line in done.stdout.splitlines()} == want_checked


def test_notes_name_every_file(files):
    notes = (files / "RELEASE_NOTES.md").read_text(encoding="utf-8")

    assert {path.name for path in files.iterdir() if path.name not in notes} == {"RELEASE_NOTES.md"}


def test_manifest_names_the_archive_by_address_and_digest(files):
    [platform] = yaml.safe_load((files / "lockstep.yaml").read_text(encoding="utf-8"))["spec"]["platforms"]

    assert platform["uri"] == f"{ADDRESS}/{PLUG_IN}"
    assert platform["sha256"] == digest(files / PLUG_IN)


def test_plug_in_installs_itself_once_and_has_the_version_of_the_chart(files, tmp_path):
    [chart] = [one for name, one in unpack(files / CHART).items() if name == "lockstep/Chart.yaml"]
    program = unpacked(files / PLUG_IN, tmp_path / "store")
    for name in (WHEEL, LOCK):
        assert (program.resolve().parent / name).read_bytes() == (files / name).read_bytes()

    first, second = (called(program, tmp_path) for _ in range(2))

    assert first.stdout == second.stdout == f"lockstep, version {yaml.safe_load(chart.content)['appVersion']}\n"
    assert ("installing" in first.stderr, second.stderr) == (True, "")
    assert len([*(tmp_path / "kubectl-lockstep").iterdir()]) == 1


def test_installation_that_fails_leaves_nothing_behind(files, tmp_path):
    program = unpacked(files / PLUG_IN, tmp_path / "store")
    [lock] = program.resolve().parent.glob("*.lock")
    lock.write_text(f"aiohttp==3.14.5 --hash=sha256:{'0' * 64}\n", encoding="ascii")

    done = called(program, tmp_path, PIP_NO_INDEX="1")

    assert done.returncode == 1
    assert "kubectl lockstep could not be installed" in done.stderr
    assert [*(tmp_path / "kubectl-lockstep").iterdir()] == []


def test_same_commit_gives_the_same_chart(files, tmp_path):
    again = package_chart(tmp_path, MADE)

    assert again.name == CHART
    assert digest(again) == digest(files / CHART)


def unpacked(archive, store):
    """Unpack as Krew does, and return the link by which kubectl calls the plug-in."""
    with tarfile.open(archive) as packed:
        packed.extractall(store, filter="data")
    link = store / "bin" / "kubectl-lockstep"
    link.parent.mkdir()
    link.symlink_to(store / "kubectl-lockstep")
    return link


def called(program, data, **variables):
    """Call it in another folder; nothing of the repository's environment is there, and pip need not compile."""
    environment = os.environ | {"XDG_DATA_HOME": str(data), "LOCKSTEP_PYTHON": base_python(), "PIP_COMPILE": "no"}
    environment |= variables
    return subprocess.run(
        [program, "--version"], cwd=data, env=environment, capture_output=True, text=True, check=False
    )


def base_python():
    """The Python of which the environment of these tests was made."""
    return str(Path(sys.base_prefix) / "bin" / f"python{sys.version_info.major}.{sys.version_info.minor}")
