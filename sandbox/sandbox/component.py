"""The parts of a control plane by name."""

from collections.abc import Mapping
from enum import StrEnum

from sandbox.binaries import Tool


class Component(StrEnum):
    """A part of a control plane. The parts are started in this order, and stopped in the reverse order."""

    ETCD = "etcd"
    API_SERVER = "kube-apiserver"
    CONTROLLER_MANAGER = "controller-manager"
    SCHEDULER = "scheduler"
    KWOK = "kwok"

    @property
    def tool(self) -> Tool:
        """The program that this part runs."""
        return TOOLS[self]


TOOLS: Mapping[Component, Tool] = {
    Component.ETCD: Tool.ETCD,
    Component.API_SERVER: Tool.KUBE_APISERVER,
    Component.CONTROLLER_MANAGER: Tool.KUBE_CONTROLLER_MANAGER,
    Component.SCHEDULER: Tool.KUBE_SCHEDULER,
    Component.KWOK: Tool.KWOK,
}

# Every sandbox has the components in CORE. Components in ADDONS are optional.
CORE = frozenset({Component.ETCD, Component.API_SERVER})
ADDONS = frozenset({Component.CONTROLLER_MANAGER, Component.SCHEDULER, Component.KWOK})
