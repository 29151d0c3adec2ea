"""Control planes for the tests of the sandbox itself."""

from collections.abc import Iterator

import pytest

from sandbox import Component, Node, Options, Sandbox, Taint, TaintEffect, start

TAINTED = Node(
    name="tainted",
    labels={"speed": "fast"},
    taints=(Taint(key="pool", value="gangs", effect=TaintEffect.NO_SCHEDULE),),
    allocatable={"cpu": "2", "memory": "1Gi", "pods": "3", "example.com/gpu": "4"},
)


@pytest.fixture(scope="module")
def full_sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    """A sandbox with every addon, two generic nodes and the tainted one."""
    addons = frozenset({Component.KWOK, Component.CONTROLLER_MANAGER, Component.SCHEDULER})
    options = Options(name="full", addons=addons, nodes=2, state=tmp_path_factory.mktemp("sandboxes"))
    with start(options) as sandbox:
        sandbox.create_nodes([TAINTED])
        yield sandbox
