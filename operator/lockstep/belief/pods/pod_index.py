"""The pods on nodes by row, and their rows by label: a query about a label reads no other pods.

Memory grows with the labels that pods have, never with the queries.
"""

from collections.abc import Generator, Iterable, Mapping
from collections.abc import Set as AbstractSet

import numpy as np
from numpy.typing import NDArray

from lockstep.belief.common.steps import Steps, at_once
from lockstep.facts.pods.pod import PodFact

Rows = NDArray[np.intp]

_FIRST_ROWS = 1024
# In pieces of work: the cost of reading one pod's value of a label.
_PIECES_OF_VALUE = 3


class PodSet:
    """The rows of some pods. ``changed_at`` is the number of the last change of the index that changed these rows."""

    __slots__ = ("_array", "_rows", "changed_at")

    def __init__(self) -> None:
        self._rows: set[int] = set()
        self._array: Rows | None = None
        self.changed_at = 0

    def __len__(self) -> int:
        """The number of pods."""
        return len(self._rows)

    def add(self, row: int, *, at: int) -> None:
        """Add a pod."""
        self._rows.add(row)
        self._array, self.changed_at = None, at

    def discard(self, row: int, *, at: int) -> None:
        """Remove a pod."""
        self._rows.discard(row)
        self._array, self.changed_at = None, at

    @property
    def rows(self) -> Rows:
        """The rows, in any order; must not be changed."""
        if self._array is None:
            self._array = np.fromiter(self._rows, dtype=np.intp, count=len(self._rows))
        return self._array


NO_PODS = PodSet()


class Numbers:
    """A number for each name in use. When a name is not used any more, another name may get its number."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._names: list[str] = []
        self._holders: list[int] = []
        self._free: list[int] = []

    def __len__(self) -> int:
        """All numbers in use are smaller than this."""
        return len(self._names)

    def take(self, name: str) -> int:
        """Count one more use of the name. Returns the number of the name."""
        number = self._numbers.get(name)
        if number is None:
            number = self._numbers[name] = self._new()
        self._names[number] = name
        self._holders[number] += 1
        return number

    def give_back(self, name: str) -> None:
        """Count one use less of the name. After the last use, its number is free."""
        number = self._numbers[name]
        self._holders[number] -= 1
        if not self._holders[number]:
            del self._numbers[name]
            self._free.append(number)

    def of(self, names: frozenset[str]) -> list[int]:
        """The numbers of the ``names`` that are in use."""
        known = names & self._numbers.keys()
        return [self._numbers[name] for name in known]

    def name(self, number: int) -> str:
        """The name of a number in use."""
        return self._names[number]

    def _new(self) -> int:
        if self._free:
            return self._free.pop()
        self._names.append("")
        self._holders.append(0)
        return len(self._names) - 1


class PodIndex:
    """The index. A pod that was entered has to leave later. ``changes`` counts the pods that enter or leave.

    ``node[row]`` and ``namespace[row]`` are numbers of names. A row whose ``there`` is false has no pod.
    """

    def __init__(self, pods: Iterable[PodFact]) -> None:
        self.changes = 0
        self.node: NDArray[np.int32] = np.zeros(_FIRST_ROWS, dtype=np.int32)
        self.namespace: NDArray[np.int32] = np.zeros(_FIRST_ROWS, dtype=np.int32)
        self.there: NDArray[np.bool_] = np.zeros(_FIRST_ROWS, dtype=np.bool_)
        self.nodes = Numbers()
        self.namespaces = Numbers()
        self._pods: list[PodFact | None] = [None] * _FIRST_ROWS
        self._rows: dict[str, int] = {}
        self._free: list[int] = list(range(_FIRST_ROWS))
        self._by_key: dict[str, PodSet] = {}
        self._by_value: dict[str, dict[str, PodSet]] = {}
        # Like ``_by_value``, for labels whose values are still being read. Pods that come and go are entered here too.
        self._drafts: dict[str, dict[str, PodSet]] = {}
        for pod in pods:
            self.enter(pod)

    def enter(self, pod: PodFact) -> None:
        """Add a pod that is on its node."""
        self.changes += 1
        row = self._rows[pod.uid] = self._free_row()
        self._pods[row], self.there[row] = pod, True
        self.node[row], self.namespace[row] = self.nodes.take(pod.node), self.namespaces.take(pod.key.namespace)
        for key, value in pod.labels:
            self._by_key.setdefault(key, PodSet()).add(row, at=self.changes)
            for values in self._kept_values(key):
                values.setdefault(value, PodSet()).add(row, at=self.changes)

    def leave(self, pod: PodFact) -> None:
        """Remove a pod."""
        self.changes += 1
        row = self._rows.pop(pod.uid)
        self._pods[row], self.there[row] = None, False
        self._free.append(row)
        self.nodes.give_back(pod.node)
        self.namespaces.give_back(pod.key.namespace)
        for key, value in pod.labels:
            self._leave_label(row, key, value)

    def pod(self, row: int) -> PodFact:
        """The pod of that row."""
        pod = self._pods[row]
        assert pod is not None, "the row of a pod that is there"
        return pod

    def rows_of(self, pods: Iterable[PodFact]) -> Rows:
        """The rows of the ``pods`` that are in the index."""
        return np.array([self._rows[pod.uid] for pod in pods if pod.uid in self._rows], dtype=np.intp)

    def known(self, keys: AbstractSet[str]) -> AbstractSet[str]:
        """The keys among ``keys`` that some pod has as a label."""
        return keys & self._by_key.keys()

    def having(self, key: str) -> PodSet:
        """The pods that have a label of that key."""
        return self._by_key.get(key, NO_PODS)

    def by_value(self, key: str) -> Mapping[str, PodSet]:
        """The pods with a label of that key, by its value; read at the first query and then kept."""
        if key in self._by_key and key not in self._by_value:
            at_once(self.reading_values(key, Steps()))
        return self._by_value.get(key, {})

    def reading_values(self, key: str, steps: Steps) -> Generator[None, None, None]:
        """Read the values of a label for the first query, in steps between which pods may come and go."""
        if key in self._by_value or key not in self._by_key:
            return
        draft = self._drafts[key] = dict[str, PodSet]()
        for row in self._by_key[key].rows.tolist():
            pod = self._pods[row]
            value = None if pod is None else dict(pod.labels).get(key)
            if value is not None:
                draft.setdefault(value, PodSet()).add(row, at=self.changes)
            if steps.are_due(_PIECES_OF_VALUE):
                yield
        if self._drafts.get(key) is draft:
            self._by_value[key] = self._drafts.pop(key)

    def _leave_label(self, row: int, key: str, value: str) -> None:
        pods = self._by_key[key]
        pods.discard(row, at=self.changes)
        for values in self._kept_values(key):
            # While a label's values are being read, the pod may not have been entered yet.
            of_value = values.get(value, PodSet())
            of_value.discard(row, at=self.changes)
            if not of_value:
                values.pop(value, None)
        if not pods:
            for kept in (self._by_key, self._by_value, self._drafts):
                kept.pop(key, None)

    def _kept_values(self, key: str) -> Iterable[dict[str, PodSet]]:
        """The mappings from the values of a label to its pods: the kept mapping, and one that is being read."""
        return (kept[key] for kept in (self._by_value, self._drafts) if key in kept)

    def _free_row(self) -> int:
        if not self._free:
            size = len(self._pods)
            self.node = np.pad(self.node, (0, size))
            self.namespace = np.pad(self.namespace, (0, size))
            self.there = np.pad(self.there, (0, size))
            self._pods.extend([None] * size)
            self._free.extend(range(size, 2 * size))
        return self._free.pop()
