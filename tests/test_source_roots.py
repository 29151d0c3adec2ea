"""``operator/`` is a folder of sources, never a package: it would shadow the standard library's ``operator``."""

import subprocess
import sys
import zipfile
from email.parser import HeaderParser
from pathlib import Path

import pytest

import lockstep

ROOT = Path(__file__).parent.parent
SHIPPED = {"coschedule": "engine", "coschedule_forecast": "engine", "lockstep": "operator"}


@pytest.mark.parametrize("root", ["engine", "operator", "sandbox", "demo"])
def test_source_root_is_no_package(root):
    assert (ROOT / root).is_dir()
    assert not (ROOT / root / "__init__.py").exists()


def test_operator_is_the_standard_library_s():
    code = "import operator, pathlib; print(operator.add(1, 1), pathlib.Path(operator.__file__).parent)"
    answer = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)

    result, folder = answer.stdout.split(maxsplit=1)
    assert result == "2"
    assert Path(folder.strip()) != ROOT / "operator"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, capture_output=True, check=True)
    [path] = folder.glob("*.whl")
    with zipfile.ZipFile(path) as archive:
        yield archive


def test_wheel_holds_the_engine_and_the_operator_and_nothing_else(wheel):
    metadata = f"lockstep_operator-{lockstep.__version__}.dist-info"

    assert {name.split("/")[0] for name in wheel.namelist()} == {*SHIPPED, metadata}


def test_wheel_holds_every_module(wheel):
    sources = {
        path.relative_to(ROOT / root).as_posix()
        for package, root in SHIPPED.items()
        for path in (ROOT / root / package).rglob("*.py")
    }

    assert sources <= set(wheel.namelist())


def test_version_has_one_place(wheel):
    [metadata] = [name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
    text = wheel.read(metadata).decode()

    assert HeaderParser().parsestr(text)["Version"] == lockstep.__version__
    assert lockstep.__version__ not in (ROOT / "pyproject.toml").read_text(encoding="utf-8")


def test_wheel_brings_the_command(wheel):
    [entries] = [name for name in wheel.namelist() if name.endswith(".dist-info/entry_points.txt")]

    assert "lockstep = lockstep.cli:main" in wheel.read(entries).decode()
