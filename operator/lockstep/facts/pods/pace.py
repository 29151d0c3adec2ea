"""Pace: what CPU the members of a gang have, and what they have while they are paced."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class Pace(StrEnum):
    """What members on fast nodes may take while they wait for the slowest."""

    NONE = "None"
    LOCAL = "Local"


class Cpu(NamedTuple):
    """CPU of one container in thousandths of a core; no ``limit`` is None."""

    request: int
    limit: int | None


class ContainerCpu(NamedTuple):
    """One container of a member: what is asked for, and what is ``in_force`` while its node can't give that.

    ``restarts``: another amount of CPU would restart the container.
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
    """The CPU of a member: of its ``containers``, but for init containers.

    ``is_guaranteed``: requests and limits of the pod are the same, and have to stay so. ``is_of_whole``: the pod asks
    for CPU as a whole. ``pending``: what it asks for is not in force, for that reason.
    """

    containers: tuple[ContainerCpu, ...]
    is_guaranteed: bool = False
    is_of_whole: bool = False
    pending: PendingResize | None = None

    @property
    def amounts(self) -> Mapping[str, Cpu]:
        """What is asked for, by the names of the containers."""
        return {one.name: one.cpu for one in self.containers}


class ResizeResult(StrEnum):
    """What became of a resize. ``WITHDRAWN``: the node could not give so much, and was asked for less."""

    DONE = "done"
    REFUSED = "refused"
    WITHDRAWN = "withdrawn"
    ERROR = "error"


class Unpaced(NamedTuple):
    """What one container of a role's members has while they are not paced."""

    role: str
    container: str
    cpu: Cpu


@dataclass(frozen=True, slots=True, kw_only=True)
class PaceStatus:
    """How far a gang is paced: of so many ``members`` of the roles concerned so many are ``paced``.

    ``given_back``: thousandths of a core that these request less than without pace.
    """

    members: int
    paced: int
    given_back: int
    message: str
    unpaced: tuple[Unpaced, ...] = ()
