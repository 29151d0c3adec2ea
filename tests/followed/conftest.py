"""What a reader has at hand: kubectl, Helm, and folders of their own."""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from sandbox.binaries import Resolver, Tool
from sandbox.progress import Silent


@pytest.fixture(scope="module")
def at_hand(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """The environment of a reader's shell; sandboxes that they start are in a folder of its own."""
    home = tmp_path_factory.mktemp("reader")
    programs = home / "bin"
    programs.mkdir()
    resolver = Resolver.of_environment(Silent())
    for tool in (Tool.KUBECTL, Tool.HELM):
        (programs / tool.value).symlink_to(resolver.resolve(tool).path)
    own = {f"HELM_{kind}_HOME": str(home / f"helm-{kind.lower()}") for kind in ("CACHE", "CONFIG", "DATA")}
    free_ports = {"LOCKSTEP_RUN_LISTEN_PORT": "0", "LOCKSTEP_RUN_DEBUG_LISTEN_PORT": "0"}
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, **own, **free_ports, "PATH": path, "XDG_STATE_HOME": str(home / "state")}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder for terminals."""
    return tmp_path
