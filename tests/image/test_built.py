"""The image without Docker: the Dockerfile's own steps, in a folder that has what Docker would copy, on our own base.

What the steps leave becomes a root file system in which the operator starts, and an archive of it. ``python -m
image.make.rootfs``, which makes one from nothing, is what ``make e2e-nodes`` runs its operators from.
"""

import hashlib
import json
import os
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest
from image.make.archive import write_archive
from image.make.base import add_base
from image.make.dockerfile import DOCKERFILE, read, run_configuration
from image.make.rootfs import prefix_of

import lockstep
from lockstep.process.timeline import PAGE

ROOT = Path(__file__).parents[2]
COMPILERS = ("cc", "gcc", "c++", "g++", "clang", "rustc", "cargo", "ld")
NAME = "lockstep:test"
# Of the flags in the first bytes of bytecode (PEP 552): made of a source by its hash, and never compared with it.
UNCHECKED_HASH = 1


@pytest.fixture(scope="module")
def dockerfile():
    """What the Dockerfile says."""
    return read(DOCKERFILE.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def root(tmp_path_factory, dockerfile):
    """A root file system of what the steps leave; the folders of the image, /wheel and /opt, stand below it."""
    folder = tmp_path_factory.mktemp("image")
    context, root = folder / "source", folder / "root"
    copy_context(context)
    root.mkdir()
    # Docker's context has the wheels of all packages. Here those of other projects come from the index.
    subprocess.run([ROOT / "image/build-wheel.sh", root / "wheels"], check=True)
    for stage in dockerfile.stages:
        for step in stage.all("RUN"):
            words = [f"{root}{word}" if word.startswith("/") else word for word in step.words]
            subprocess.run(words, cwd=context, check=True)
    # The last stage has nothing of those before but the installation.
    shutil.rmtree(root / "wheels")
    yield root
    # It is a quarter of a gigabyte.
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def prefix(root, dockerfile):
    """The installation in it."""
    return root / prefix_of(dockerfile).removeprefix("/")


@pytest.fixture(scope="module")
def based(root, prefix, dockerfile):
    """The same root file system with a base, in which programs name their Python by its path in the image."""
    programs = [path for path in (prefix / "bin").iterdir() if path.is_file() and not path.is_symlink()]
    for program in programs:
        program.write_bytes(program.read_bytes().replace(f"#!{root}/".encode(), b"#!/", 1))
    add_base(root, prefix_of(dockerfile))
    return root


@pytest.fixture(scope="module")
def archive(based, dockerfile, tmp_path_factory):
    """The image as a file."""
    folder = tmp_path_factory.mktemp("archive")
    runs = run_configuration(dockerfile, VERSION="1.2.3", REVISION="abc")
    write_archive(folder / "image.tar", based, name=NAME, architecture="amd64", runs=runs)
    with tarfile.open(folder / "image.tar") as image:
        yield image
    shutil.rmtree(folder)


def copy_context(target):
    """Copy what .dockerignore lets through, but for the wheels."""
    lines = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    for path in {line[1:] for line in lines if line.startswith("!")} - {"build/wheels"}:
        shutil.copytree(ROOT / path, target / path, ignore=shutil.ignore_patterns("__pycache__"))


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


def test_prefix_has_one_client_of_kubernetes(prefix):
    assert len([*prefix.glob("**/core_v1_api.py")]) == 1


def test_prefix_has_no_compiler_and_no_installer(prefix):
    programs = {path.name for path in (prefix / "bin").iterdir()}

    assert programs & {*COMPILERS, "pip", "uv"} == set()


def test_operator_starts_in_the_root_file_system(based):
    command = [*inside(based), "/opt/lockstep/bin/lockstep", "run", "--help"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={"PATH": os.environ["PATH"]})

    assert done.stdout.startswith("Usage: lockstep run [OPTIONS]")


def inside(root):
    """What begins a command in that root file system: root enters it, others do as root of a namespace or with sudo."""
    namespace = ["unshare", "--map-root-user"]
    if os.geteuid() == 0:
        return ["unshare", f"--root={root}"]
    if subprocess.run([*namespace, "true"], capture_output=True, check=False).returncode == 0:
        return [*namespace, f"--root={root}"]
    return ["sudo", "-n", "unshare", f"--root={root}"]


def test_it_is_for_anybody_to_read(based):
    locked = [path for path in based.rglob("*") if not path.is_symlink() and not path.stat().st_mode & 0o004]

    assert locked == []


def test_it_has_no_shell_and_no_compiler(based):
    programs = {path.name for path in based.glob("**/bin/*")}

    assert programs & {"sh", "bash", *COMPILERS} == set()


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


def test_bytecode_in_the_archive_does_not_depend_on_the_age_of_its_source(archive):
    """The archive has no times. Bytecode that is checked against one would be made again at each start."""
    with tarfile.open(fileobj=archive.extractfile("layer.tar")) as layer:
        compiled = [one for one in layer if one.name.endswith(".pyc") and "/lockstep/" in one.name]
        flags = {int.from_bytes(layer.extractfile(one).read(8)[4:], "little") for one in compiled}

    assert flags == {UNCHECKED_HASH}


def test_equal_files_give_equal_archives(tmp_path):
    for name in ("one", "two"):
        (tmp_path / name / "etc").mkdir(parents=True)
        (tmp_path / name / "etc" / "passwd").write_text("root:x:0:0::/:\n", encoding="ascii")
        (tmp_path / name / "etc" / "passwd").chmod(0o600)
        write_archive(tmp_path / f"{name}.tar", tmp_path / name, name=NAME, architecture="amd64", runs={})

    assert (tmp_path / "one.tar").read_bytes() == (tmp_path / "two.tar").read_bytes()
