"""The Dockerfile's steps, without Docker: its own commands, in a folder that has what Docker would copy."""

import shutil
import subprocess
from pathlib import Path

import pytest
from image.make.dockerfile import DOCKERFILE, read

import lockstep
from lockstep.process.timeline import PAGE

ROOT = Path(__file__).parents[2]
COMPILERS = ("cc", "gcc", "c++", "g++", "clang", "rustc", "cargo", "ld")


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    """What the steps leave; the folders of the image, /wheel and /opt, stand below one of the test's own."""
    folder = tmp_path_factory.mktemp("image")
    context = folder / "source"
    copy_context(context)
    for stage in read(DOCKERFILE.read_text(encoding="utf-8")).stages:
        for step in stage.all("RUN"):
            words = [f"{folder}{word}" if word.startswith("/") else word for word in step.words]
            subprocess.run(words, cwd=context, check=True)
    yield folder / "opt" / "lockstep"
    # It is a quarter of a gigabyte.
    shutil.rmtree(folder)


def copy_context(target):
    """Copy what Dockerfile.dockerignore lets through."""
    wanted = [
        line[1:]
        for line in (ROOT / "image/Dockerfile.dockerignore").read_text(encoding="utf-8").splitlines()
        if line.startswith("!")
    ]
    for path in wanted:
        source = ROOT / path
        if source.is_dir():
            shutil.copytree(source, target / path, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            target.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target / path)


def test_operator_starts_from_the_prefix(prefix):
    done = subprocess.run(
        [prefix / "bin/lockstep", "run", "--help"], capture_output=True, text=True, check=True, env={}
    )

    assert done.stdout.startswith("Usage: lockstep run [OPTIONS]")


def test_prefix_has_the_page_of_the_timeline_whole(prefix):
    program = "from lockstep.process.timeline import PAGE; print(PAGE.text)"
    done = subprocess.run(
        [prefix / "bin/python", "-I", "-c", program], capture_output=True, text=True, check=True, env={}
    )

    assert done.stdout.rstrip("\n") == PAGE.text.rstrip("\n")


def test_prefix_has_what_is_locked_and_the_wheel(prefix):
    rows = (prefix / "share/doc/lockstep/licences.md").read_text(encoding="utf-8").splitlines()[2:]
    listed = {row.split(" | ")[0].removeprefix("| "): row.split(" | ")[1:] for row in rows}

    assert listed["lockstep-operator"][0] == lockstep.__version__
    assert {"aiohttp", "kopf", "numpy"} <= listed.keys()
    assert "pytest" not in listed


def test_every_package_has_a_licence(prefix):
    rows = (prefix / "share/doc/lockstep/licences.md").read_text(encoding="utf-8").splitlines()[2:]

    assert [row for row in rows if row.endswith(("| |", "|  |"))] == []


def test_prefix_has_no_compiler_and_no_installer(prefix):
    programs = {path.name for path in (prefix / "bin").iterdir()}

    assert programs & {*COMPILERS, "pip", "uv"} == set()
