"""Facts about nodes: labels, taints, and resources that will be released or are about to be taken."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from coschedule.model.numbers import BoolArray
from coschedule.queue.constraints.answers import Answers
from coschedule.queue.constraints.terms import Taint


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NodeTable:
    """The facts about each node except resources and times; entry ``n`` of each column is node ``names[n]``.

    Names are sorted and distinct. ``ready`` and ``unschedulable`` are read-only bool[n]. Raises ValueError otherwise.
    ``answers`` cache which of these nodes pass which constraints.
    """

    names: tuple[str, ...]
    labels: tuple[Mapping[str, str], ...]
    taints: tuple[tuple[Taint, ...], ...]
    ready: BoolArray
    unschedulable: BoolArray
    answers: Answers = field(init=False, repr=False)

    @property
    def index(self) -> Mapping[str, int]:
        """The number of each node, by name."""
        return self.answers.index

    def __post_init__(self) -> None:
        count = len(self.names)
        if any(left >= right for left, right in zip(self.names, self.names[1:], strict=False)):
            raise ValueError("node names must be sorted and distinct")
        if len(self.labels) != count or len(self.taints) != count:
            raise ValueError(f"labels and taints must have one entry for each of {count} nodes")
        for name in ("ready", "unschedulable"):
            object.__setattr__(self, name, read_only(name, getattr(self, name), np.bool_, (count,)))
        answers = Answers(self.names, self.labels, self.taints, self.ready, self.unschedulable)
        object.__setattr__(self, "answers", answers)


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """Resources that a node gets back when a gang, or a member that leaves its gang, is expected to end.

    A release that is due or overdue has not happened yet. It counts from the first instant after ``now``.
    """

    node: int
    request: tuple[int, ...]
    time: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Nominated:
    """The resources of a pod that a scheduler has nominated for a node, for an unknown time.

    Gangs of the same or a lower ``priority`` do not use them.
    """

    node: int
    request: tuple[int, ...]
    priority: int


def read_only(
    name: str, values: npt.ArrayLike, dtype: npt.DTypeLike, shape: tuple[int, ...]
) -> npt.NDArray[np.generic]:
    """Copy ``values`` into a read-only array of this shape; raise ValueError if they have another shape.

    An empty list of values fits every shape without entries, such as (0, 3).
    """
    array = np.array(values, dtype=dtype)
    if not array.size and 0 in shape:
        array = array.reshape(shape)
    if array.shape != shape:
        raise ValueError(f"{name} must have shape {shape}, not {array.shape}")
    array.setflags(write=False)
    return array
