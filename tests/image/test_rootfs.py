"""The image that is made without Docker: a root file system in which the operator starts, in an archive."""

import hashlib
import json
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from image.make.archive import write_archive

ROOT = Path(__file__).parents[2]
NAME = "lockstep:test"


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    """The image as a file."""
    folder = tmp_path_factory.mktemp("image")
    command = [sys.executable, "-m", "image.make.rootfs", str(folder / "image.tar")]
    subprocess.run([*command, "--name", NAME, "--version", "1.2.3", "--revision", "abc"], cwd=ROOT, check=True)
    with tarfile.open(folder / "image.tar") as image:
        yield image
    # It is a third of a gigabyte.
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def root(archive, tmp_path_factory):
    """Its root file system."""
    folder = tmp_path_factory.mktemp("root")
    # By tar, since links that name paths of the image are none that Python would unpack.
    unpacking = subprocess.Popen(["tar", "--extract", "--directory", folder], stdin=subprocess.PIPE)
    with unpacking.stdin:
        shutil.copyfileobj(archive.extractfile("layer.tar"), unpacking.stdin)
    assert unpacking.wait() == 0
    yield folder
    shutil.rmtree(folder)


def test_operator_starts_in_it(root):
    inside = ["unshare", "--map-root-user", f"--root={root}", "/opt/lockstep/bin/lockstep"]
    done = subprocess.run([*inside, "run", "--help"], capture_output=True, text=True, check=True, env={})

    assert done.stdout.startswith("Usage: lockstep run [OPTIONS]")


def test_it_is_for_anybody_to_read(root):
    locked = [path for path in root.rglob("*") if not path.is_symlink() and not path.stat().st_mode & 0o004]

    assert locked == []


def test_it_has_no_shell_and_no_compiler(root):
    programs = {path.name for path in root.glob("**/bin/*")}

    assert programs & {"sh", "bash", "cc", "gcc", "ld"} == set()


def test_archive_says_how_it_runs(archive):
    [image] = json.load(archive.extractfile("manifest.json"))
    configuration = json.load(archive.extractfile(image["Config"]))

    assert image["RepoTags"] == [NAME]
    assert configuration["config"]["Entrypoint"] == ["lockstep"]
    assert configuration["config"]["User"] == "65532:65532"
    assert configuration["config"]["Labels"]["org.opencontainers.image.version"] == "1.2.3"


def test_archive_names_its_layer_by_digest(archive):
    configuration = json.load(archive.extractfile("config.json"))

    digest = hashlib.file_digest(archive.extractfile("layer.tar"), "sha256").hexdigest()
    assert configuration["rootfs"] == {"type": "layers", "diff_ids": [f"sha256:{digest}"]}


def test_equal_files_give_equal_archives(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name / "etc").mkdir(parents=True)
        (tmp_path / name / "etc" / "passwd").write_text("root:x:0:0::/:\n", encoding="ascii")
        (tmp_path / name / "etc" / "passwd").chmod(0o600)
        write_archive(tmp_path / f"{name}.tar", tmp_path / name, name=NAME, architecture="amd64", runs={})

    layers = []
    for name in ("one", "two"):
        with tarfile.open(tmp_path / f"{name}.tar") as image:
            layers.append(image.extractfile("config.json").read())
    assert layers[0] == layers[1]
