"""The locks of the image's steps are parts of the one lock."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from image.make.locks import PROJECT, needed, part, read
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
LOCK = """\
a==1.0 \\
    --hash=sha256:aa \\
    --hash=sha256:ab
    # via
    #   lockstep-operator (pyproject.toml)
    #   z
b==2.0 ; python_full_version < '3.12' \\
    --hash=sha256:ba
    # via a
b==2.1 ; python_full_version >= '3.12' \\
    --hash=sha256:bb
    # via a
z==3.0 \\
    --hash=sha256:za
    # via lockstep-operator (pyproject.toml:dev)
"""


def test_generated_locks_are_up_to_date():
    done = subprocess.run(
        [sys.executable, "-m", "image.make", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("root", "want_names"),
    [
        pytest.param(PROJECT, ["a", "b", "b"], id="what the operator needs, and what that needs"),
        pytest.param("z", ["a", "b", "b", "z"], id="a package and what it needs"),
        pytest.param("b", ["b", "b"], id="a package that needs nothing"),
    ],
)
def test_part_has_what_a_root_needs(root, want_names):
    assert [entry.name for entry in needed(read(LOCK), root)] == want_names


def test_part_keeps_versions_markers_and_hashes():
    text = part(LOCK, "a")

    assert text.partition("\n")[2] == LOCK.partition("z==")[0]


def test_marker_decides_which_version_is_installed():
    entries = needed(read(LOCK), "b")

    assert [one.version for one in entries if one.is_for({"python_full_version": "3.13.1"})] == ["2.1"]
    assert entries[0].hashes == ("ba",)


def test_runtime_lock_has_every_dependency_and_no_tool():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    names = {one.name for one in read((ROOT / "image/locks/runtime.lock").read_text(encoding="utf-8"))}

    declared = {Requirement(one).name for one in project["project"]["dependencies"]}
    tools = {Requirement(one).name for one in project["dependency-groups"]["dev"]}
    assert declared <= names
    assert tools & names == set()
