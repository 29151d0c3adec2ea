"""The frozen facts of one cycle: nodes, what is free on them and when, and the gangs that wait.

All times are absolute seconds on the same axis as ``Snapshot.now``. Resources are integers in base units, one column
a resource; pod count, a bid's slots and host ports are columns like any other.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from coschedule.numbers import BoolArray, FloatArray, IntArray
from coschedule.work import SerialWork, Work

MOST = 2**62
"""More of a resource than any node has; sums of amounts stop here, so that no 64 bits wrap around."""


class GangKey(NamedTuple):
    """The identity of a gang."""

    namespace: str
    name: str


class Taint(NamedTuple):
    """A taint of a node, spelt as in Kubernetes."""

    key: str
    value: str
    effect: str


class Toleration(NamedTuple):
    """A toleration of a pod: operator Exists, Equal (also ""), Lt or Gt; an empty key or effect matches any."""

    key: str
    operator: str
    value: str
    effect: str


class Requirement(NamedTuple):
    """One requirement on labels or fields: operator In, NotIn, Exists, DoesNotExist, Gt or Lt."""

    key: str
    operator: str
    values: tuple[str, ...]


class NodeTerm(NamedTuple):
    """One alternative of a required node affinity: all its requirements hold; without any it matches no node."""

    labels: tuple[Requirement, ...]
    fields: tuple[Requirement, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraints:
    """What a member demands of a node besides resources; hashable, so that gangs of one kind share one mask.

    ``affinity`` is None when there is none; an empty tuple matches no node. ``volumes`` are further affinities, of
    which each has to match. ``barred`` holds what keeps members off single nodes: a phrase that completes "3 nodes
    ...", and the names of these nodes.
    """

    node_selector: tuple[tuple[str, str], ...] = ()
    affinity: tuple[NodeTerm, ...] | None = None
    tolerations: tuple[Toleration, ...] = ()
    volumes: tuple[tuple[NodeTerm, ...], ...] = ()
    barred: tuple[tuple[str, frozenset[str]], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NodeTable:
    """What is known of every node besides resources and time; entry ``n`` of each column is node ``names[n]``.

    Names are sorted and distinct. ``ready`` and ``unschedulable`` are read-only bool[n]. Raises ValueError otherwise.
    """

    names: tuple[str, ...]
    labels: tuple[Mapping[str, str], ...]
    taints: tuple[tuple[Taint, ...], ...]
    ready: BoolArray
    unschedulable: BoolArray

    def __post_init__(self) -> None:
        count = len(self.names)
        if any(left >= right for left, right in zip(self.names, self.names[1:], strict=False)):
            raise ValueError("node names must be sorted and distinct")
        if len(self.labels) != count or len(self.taints) != count:
            raise ValueError(f"labels and taints must have one entry for each of {count} nodes")
        for name in ("ready", "unschedulable"):
            object.__setattr__(self, name, _read_only(name, getattr(self, name), np.bool_, (count,)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """Resources that come back on a node when the gang that runs there is expected to end.

    A release that is due or overdue has not happened yet: it counts from the first instant after ``now``.
    """

    node: int
    request: tuple[int, ...]
    time: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Nominated:
    """Room that a pod in front of some gangs is about to take on a node, for ever as far as anybody knows.

    It is taken from gangs of its priority and lower ones.
    """

    node: int
    request: tuple[int, ...]
    priority: int


class Load(StrEnum):
    """How a gang's work is divided among its members."""

    EQUAL = "Equal"
    """Every member has the same share [A 3]."""
    PROPORTIONAL = "Proportional"
    """A member's share is in proportion to its speed [A 4]."""
    PIECES = "Pieces"
    """The work is whole pieces; every member has one at least [S 4]."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingGang:
    """A gang that waits for nodes.

    It takes any size from ``minimum`` to ``maximum`` for which ``work`` knows a time; ``work`` is None when its run
    time is unknown. ``request`` is what one member takes of each resource of the snapshot. ``deadline`` is an absolute
    time, which cannot bind a gang whose run time is unknown. ``pieces``, into which the serial work is divided, goes
    with ``Load.PIECES`` and is not below ``minimum``. It does not start before ``not_before``, an absolute time.

    Where it fits only when others have ended, nobody knows when, it may hold nodes if ``may_hold``; ``held`` are the
    nodes it holds already, by index. Raises ValueError when a number makes no sense.
    """

    key: GangKey
    priority: int
    created: float
    minimum: int
    maximum: int
    work: Work | None
    request: tuple[int, ...]
    constraints: Constraints
    deadline: float | None = None
    load: Load = Load.EQUAL
    pieces: int | None = None
    not_before: float = -math.inf
    may_hold: bool = True
    held: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if math.isnan(self.created) or (self.deadline is not None and math.isnan(self.deadline)):
            raise ValueError("created and deadline must be numbers")
        if not self.not_before < math.inf:
            raise ValueError("not_before must be a time, or -inf")
        if not 1 <= self.minimum <= self.maximum:
            raise ValueError(f"sizes must satisfy 1 <= minimum <= maximum, not {self.minimum} and {self.maximum}")
        if any(amount < 0 for amount in self.request):
            raise ValueError("a request cannot be negative")
        if (self.load is Load.PIECES) != (self.pieces is not None):
            raise ValueError("pieces go with a load of pieces, and only with that")
        if self.pieces is not None:
            self._check_pieces(self.pieces)

    def _check_pieces(self, pieces: int) -> None:
        if pieces < self.minimum:
            raise ValueError(f"{self.minimum} members need as many pieces, not {pieces}")
        if self.work is not None and not isinstance(self.work, SerialWork):
            raise ValueError("measured times do not say how long a piece takes")


def _nothing() -> IntArray:
    return np.zeros((0, 0), dtype=np.int64)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Snapshot:
    """Everything one cycle decides on.

    Axes: node ``n``, resource ``r``. ``free[n, r]`` is what is free at ``now``, possibly negative where others
    overcommit. A node takes members in its window ``[start[n], until[n])``, until inf when it is never taken back; a
    member costs ``slowdown[n]`` seconds a second of work on an idle reference node.

    Of what is not free at ``now``, ``releases`` come back at known times, ``someday[n, r]`` some time, nobody knows
    when, and ``lasting[n, r]`` never; where these are not given, they are 0. At most ``most_holding`` gangs hold nodes
    until something of ``someday`` has come back. Arrays are copied and read-only; ValueError when a shape or a value is
    wrong.
    """

    generation: int
    now: float
    resources: tuple[str, ...]
    nodes: NodeTable
    free: IntArray
    start: FloatArray
    slowdown: FloatArray
    until: FloatArray
    releases: tuple[Release, ...]
    gangs: tuple[PendingGang, ...]
    someday: IntArray = field(default_factory=_nothing)
    lasting: IntArray = field(default_factory=_nothing)
    most_holding: int = 0
    nominated: tuple[Nominated, ...] = ()

    def __post_init__(self) -> None:
        count, width = len(self.nodes.names), len(self.resources)
        object.__setattr__(self, "free", _read_only("free", self.free, np.int64, (count, width)))
        for name in ("someday", "lasting"):
            given = getattr(self, name)
            amounts = given if np.size(given) else np.zeros((count, width))
            object.__setattr__(self, name, _read_only(name, amounts, np.int64, (count, width)))
        for name in ("start", "slowdown", "until"):
            object.__setattr__(self, name, _read_only(name, getattr(self, name), np.float64, (count,)))
        self._check_numbers()
        self._check_releases()
        self._check_nominated()
        self._check_gangs()

    def _check_numbers(self) -> None:
        if not math.isfinite(self.now):
            raise ValueError("now must be finite")
        if np.isnan(self.start).any() or np.isnan(self.until).any():
            raise ValueError("start and until must be numbers")
        if not (np.isfinite(self.slowdown).all() and (self.slowdown > 0).all()):
            raise ValueError("every slowdown must be positive and finite")

    def _check_releases(self) -> None:
        for release in self.releases:
            if not 0 <= release.node < len(self.nodes.names):
                raise ValueError(f"a release names node {release.node} of {len(self.nodes.names)}")
            if len(release.request) != len(self.resources) or math.isnan(release.time):
                raise ValueError("a release needs one amount a resource and a time")

    def _check_nominated(self) -> None:
        for pod in self.nominated:
            if not 0 <= pod.node < len(self.nodes.names) or len(pod.request) != len(self.resources):
                raise ValueError("a nominated pod needs a node of the snapshot and one amount a resource")

    def _check_gangs(self) -> None:
        for gang in self.gangs:
            if len(gang.request) != len(self.resources):
                raise ValueError(f"gang {gang.key} must request one amount a resource")
        if len({gang.key for gang in self.gangs}) != len(self.gangs):
            raise ValueError("gang keys must be distinct")


def _read_only(
    name: str, values: npt.ArrayLike, dtype: npt.DTypeLike, shape: tuple[int, ...]
) -> npt.NDArray[np.generic]:
    """Copy ``values`` into a read-only array; ValueError when the shape differs, but nothing has every empty shape."""
    array = np.array(values, dtype=dtype)
    if not array.size and 0 in shape:
        array = array.reshape(shape)
    if array.shape != shape:
        raise ValueError(f"{name} must have shape {shape}, not {array.shape}")
    array.setflags(write=False)
    return array
