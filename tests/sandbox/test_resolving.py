import dataclasses
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from eventually import eventually
from fake_programs import put_program
from sandbox.binaries import Origin, Resolver, Tool
from sandbox.binaries.cache import Cache
from sandbox.binaries.catalog import recipe
from sandbox.errors import SandboxError
from sandbox.ports import KeptPort
from sandbox.progress import Silent

# A Go that writes what its -o names, and says in a file of its own that it was called.
WRITES_OUTPUT = """
[ "$1" = build ] || exec echo go version go1.26.0 linux/amd64
echo called >> "$0.calls"
while [ "$1" != -o ]; do shift; done
echo whole > "$2"
"""
FAILS = """
[ "$1" = build ] || exec echo go version go1.26.0 linux/amd64
while [ "$1" != -o ]; do shift; done
echo half > "$2"
echo "no space" >&2
exit 1
"""
WRITES_HALF_AND_HANGS = """
while [ "$1" != -o ]; do shift; done
echo half > "$2"
echo $$ > "$0.started"
exec sleep 600
"""
RESOLVE_IN_A_PROCESS = """
import sys
from pathlib import Path
from sandbox.binaries import Tool, build
from sandbox.binaries.cache import Cache
from sandbox.binaries.catalog import recipe
from sandbox.progress import Silent
go, cache = sys.argv[1:]
wanted = recipe(Tool.ETCD)
Cache(root=Path(cache)).install(wanted, lambda target: build.build(wanted, go=go, output=target), Silent())
"""

# Kept, so that no process listens there.
KEPT_PORT = KeptPort()


def unreachable(tool):
    known = recipe(tool)
    nowhere = f"http://127.0.0.1:{KEPT_PORT.number}/tool"
    return dataclasses.replace(known, download=dataclasses.replace(known.download, url=nowhere, digest_url=nowhere))


class Machine:
    """A machine with nothing on it but what a test puts there, and without the internet."""

    def __init__(self, root):
        self.folder, self.path, self.cache = root / "folder", root / "path", Cache(root=root / "cache")
        self.said = []

    def say(self, text):
        self.said.append(text)

    step = Silent().step

    def resolve(self, tool):
        resolver = Resolver(
            folders=(self.folder,), search_path=str(self.path), cache=self.cache, progress=self, recipes=unreachable
        )
        return resolver.resolve(tool)

    def put_in_cache(self, tool):
        path = self.cache.path(recipe(tool))
        return put_program(path.parent, path.name)


@pytest.fixture
def machine(tmp_path, monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    return Machine(tmp_path)


def test_nearest_place_wins_and_is_named(machine):
    put_program(machine.path, "go", WRITES_OUTPUT)
    built = machine.resolve(Tool.ETCD)
    cached = machine.resolve(Tool.ETCD)
    on_path_program = put_program(machine.path, "etcd")
    on_path = machine.resolve(Tool.ETCD)
    in_folder_program = put_program(machine.folder, "etcd")
    in_folder = machine.resolve(Tool.ETCD)

    assert (built.origin, built.path) == (Origin.BUILD, machine.cache.path(recipe(Tool.ETCD)))
    assert (cached.origin, cached.path) == (Origin.CACHE, built.path)
    assert (on_path.origin, on_path.path) == (Origin.PATH, on_path_program)
    assert (in_folder.origin, in_folder.path) == (Origin.FOLDER, in_folder_program)
    assert f"etcd: {built.path} (build with Go, {recipe(Tool.ETCD).version})" in machine.said


def test_folders_come_from_the_environment_in_order(tmp_path):
    environ = {"KUBEBUILDER_ASSETS": "/assets", "LOCKSTEP_SANDBOX_BIN": "/ours", "XDG_CACHE_HOME": str(tmp_path)}

    resolver = Resolver.of_environment(Silent(), environ)

    assert resolver.folders == (Path("/ours"), Path("/assets"))
    assert resolver.cache.root == tmp_path / "lockstep" / "bin"


def test_server_of_another_release_is_none_that_the_machine_has(tmp_path):
    put_program(tmp_path, "kube-apiserver")
    put_program(tmp_path, "kubectl")
    environ = {"LOCKSTEP_SANDBOX_KUBERNETES": "1.37", "XDG_CACHE_HOME": str(tmp_path), "PATH": str(tmp_path)}
    resolver = Resolver.of_environment(Silent(), environ)
    cached = resolver.cache.path(recipe(Tool.KUBE_APISERVER, "1.37"))
    put_program(cached.parent, cached.name)

    assert resolver.resolve(Tool.KUBE_APISERVER).path == cached
    assert resolver.resolve(Tool.KUBECTL).origin is Origin.PATH


def test_release_that_is_asked_for_goes_before_that_of_the_environment(tmp_path):
    environ = {"LOCKSTEP_SANDBOX_KUBERNETES": "1.37", "XDG_CACHE_HOME": str(tmp_path)}

    resolver = Resolver.of_environment(Silent(), environ, release="1.35")

    assert resolver.recipes(Tool.KUBE_APISERVER) == recipe(Tool.KUBE_APISERVER, "1.35")


@pytest.mark.parametrize(
    ("asked", "where"),
    [("", "LOCKSTEP_SANDBOX_KUBERNETES=1.12"), ("1.13", "--kubernetes=1.13")],
    ids=["named", "asked"],
)
def test_release_that_can_not_be_had_gets_a_sentence(asked, where):
    with pytest.raises(SandboxError) as refused:
        Resolver.of_environment(Silent(), {"LOCKSTEP_SANDBOX_KUBERNETES": "1.12"}, release=asked)

    assert str(refused.value) == f"{where}: choose among 1.35, 1.36, 1.37, or leave it out."


def test_version_of_a_program_found_elsewhere_is_said_and_accepted(machine):
    program = put_program(machine.path, "kube-apiserver", "echo Kubernetes v1.32.1; echo more")

    machine.resolve(Tool.KUBE_APISERVER)

    want = f"kube-apiserver: {program} (PATH, says Kubernetes v1.32.1; tested with v"
    assert [text[: len(want)] for text in machine.said] == [want]


def test_helm_is_asked_for_its_version_in_its_own_way(machine):
    put_program(machine.path, "helm", '[ "$*" = "version --short" ] && echo v4.0.0')

    machine.resolve(Tool.HELM)

    assert "(PATH, says v4.0.0; tested with v" in machine.said[0]


def test_file_that_cannot_be_executed_is_not_taken(machine):
    put_program(machine.folder, "etcd").chmod(0o644)
    put_program(machine.path, "etcd")

    assert machine.resolve(Tool.ETCD).origin is Origin.PATH


def test_program_that_is_not_published_is_built_at_once(machine):
    put_program(machine.path, "go", WRITES_OUTPUT)
    resolver = Resolver(folders=(), search_path=str(machine.path), cache=machine.cache, progress=machine)

    found = resolver.resolve(Tool.LOCAL_PATH_PROVISIONER)

    assert found.origin is Origin.BUILD
    assert not [text for text in machine.said if "download" in text.lower()]


def test_host_that_does_not_answer_is_asked_once(machine):
    put_program(machine.path, "go", WRITES_OUTPUT)
    first = unreachable(Tool.KUBECTL)
    recipes = {tool: dataclasses.replace(recipe(tool), download=first.download) for tool in Tool}
    resolver = Resolver(
        folders=(), search_path=str(machine.path), cache=machine.cache, progress=machine, recipes=recipes.__getitem__
    )

    resolver.resolve(Tool.KUBECTL)
    resolver.resolve(Tool.KWOK)

    assert len([text for text in machine.said if "cannot be reached" in text]) == 1


def test_build_that_fails_is_quoted_and_leaves_nothing(machine):
    put_program(machine.path, "go", FAILS)

    with pytest.raises(SandboxError, match=rf"^Go could not build etcd {recipe(Tool.ETCD).version}: no space$"):
        machine.resolve(Tool.ETCD)

    assert machine.cache.find(recipe(Tool.ETCD)) is None


@pytest.mark.parametrize("interruption", [signal.SIGINT, signal.SIGKILL], ids=["Ctrl-C", "killed"])
def test_interrupted_build_leaves_nothing_that_is_taken_for_whole(machine, tmp_path, interruption):
    go = put_program(tmp_path, "hanging-go", WRITES_HALF_AND_HANGS)
    command = [sys.executable, "-c", RESOLVE_IN_A_PROCESS, str(go), str(machine.cache.root)]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        compiler = int(eventually(lambda: Path(f"{go}.started").exists() and Path(f"{go}.started").read_text()))

        process.send_signal(interruption)

    if interruption is signal.SIGINT:
        with pytest.raises(ProcessLookupError):
            os.kill(compiler, 0)
    else:
        os.kill(compiler, signal.SIGKILL)
    assert machine.cache.find(recipe(Tool.ETCD)) is None

    put_program(machine.path, "go", WRITES_OUTPUT)
    assert machine.resolve(Tool.ETCD).path.read_text() == "whole\n"
    left = {path.name for path in machine.cache.path(recipe(Tool.ETCD)).parent.iterdir()}
    assert left == {"etcd", ".etcd.lock"}


def test_two_at_once_build_once(machine):
    go = put_program(machine.path, "go", WRITES_OUTPUT)
    found = []
    threads = [threading.Thread(target=lambda: found.append(machine.resolve(Tool.ETCD).path)) for _ in range(2)]

    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert found == [machine.cache.path(recipe(Tool.ETCD))] * 2
    assert Path(f"{go}.calls").read_text() == "called\n"
