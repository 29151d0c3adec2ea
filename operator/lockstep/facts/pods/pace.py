"""Pace: the CPU of members, and how much of it a gang gives back."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, assert_never


class Pace(StrEnum):
    """Whether members on fast nodes give back CPU that they do not need to keep up with the slowest member.

    ``LOCAL``: their requests and limits are lowered to this need. ``SHARE``: only their requests are lowered, so they
    may use CPU that other pods leave.
    """

    NONE = "None"
    LOCAL = "Local"
    SHARE = "Share"

    @property
    def is_wanted(self) -> bool:
        """Whether members that wait for the slowest member are resized."""
        match self:
            case Pace.LOCAL | Pace.SHARE:
                return True
            case Pace.NONE:
                return False
            case _:
                assert_never(self)

    @property
    def keeps_limits(self) -> bool:
        """Whether only requests of paced members change."""
        match self:
            case Pace.SHARE:
                return True
            case Pace.NONE | Pace.LOCAL:
                return False
            case _:
                assert_never(self)

    @property
    def gives_room(self) -> bool:
        """Whether other gangs may have the CPU that a paced member no longer requests on its node."""
        match self:
            case Pace.LOCAL:
                return True
            case Pace.NONE | Pace.SHARE:
                return False
            case _:
                assert_never(self)


class Cpu(NamedTuple):
    """CPU of one container in thousandths of a core; ``limit`` is None if there is none."""

    request: int
    limit: int | None


class ContainerCpu(NamedTuple):
    """One container of a member, with the CPU that it requests.

    ``in_force`` is its present CPU while the node can't give the requested amounts. ``restarts``: a change of its CPU
    would restart the container.
    """

    name: str
    cpu: Cpu
    restarts: bool = False
    in_force: Cpu | None = None


class PendingResize(StrEnum):
    """Why a node does not resize a pod."""

    DEFERRED = "Deferred"
    INFEASIBLE = "Infeasible"


@dataclass(frozen=True, slots=True, kw_only=True)
class MemberCpu:
    """The CPU of a member, by container; init containers are left out.

    ``is_guaranteed``: the pod's QoS class is Guaranteed, so requests and limits must stay equal. ``is_of_whole``: the
    pod requests CPU at pod level. ``pending``: why the requested amounts are not in force; None if they are.
    ``beside`` is the request of sidecars and the pod's overhead. ``least`` is the least request of the pod, since its
    init containers need it. Both are in thousandths of a core.
    """

    containers: tuple[ContainerCpu, ...]
    is_guaranteed: bool = False
    is_of_whole: bool = False
    pending: PendingResize | None = None
    beside: int = 0
    least: int = 0

    @property
    def amounts(self) -> Mapping[str, Cpu]:
        """The requested amounts by container name."""
        return {one.name: one.cpu for one in self.containers}

    def requested_with(self, requests: Mapping[str, int]) -> int:
        """The CPU that the pod would request with these requests of containers, in thousandths of a core."""
        containers = sum(requests.get(one.name, one.cpu.request) for one in self.containers)
        return max(containers + self.beside, self.least)


class ResizeResult(StrEnum):
    """The result of a resize. ``WITHDRAWN``: the node could not give the requested amount, so less was requested."""

    DONE = "done"
    REFUSED = "refused"
    WITHDRAWN = "withdrawn"
    ERROR = "error"


class Unpaced(NamedTuple):
    """The CPU of one container of a role's members while they are unpaced."""

    role: str
    container: str
    cpu: Cpu


@dataclass(frozen=True, slots=True, kw_only=True)
class PaceStatus:
    """The pace of a gang: ``members`` counts all members of roles that may be paced, ``paced`` those with less CPU.

    ``given_back`` is the difference between their unpaced requests and their present ones, in thousandths of a core.
    """

    members: int
    paced: int
    given_back: int
    message: str
    unpaced: tuple[Unpaced, ...] = ()
