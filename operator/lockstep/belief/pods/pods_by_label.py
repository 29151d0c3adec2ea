"""The nodes of pods by label, for a gang's own required affinity and anti-affinity.

Nothing is kept before the first query. Later, a query is answered from the pods with its rarest label. If a query
requires no label, or only common ones, all pods are checked at once. Answers are kept until pods with the query's
labels change.
"""

from collections.abc import Callable, Generator, Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lockstep.belief.common.kept_answers import BYTES_OF_WORD, KeptAnswers
from lockstep.belief.common.steps import Steps
from lockstep.belief.pods.pod_index import PodIndex, Rows
from lockstep.belief.pods.pod_questions import PodDemand, PodQuestion, Question, words_of
from lockstep.facts.pods.pod import PodFact

# In pieces of work: the cost of entering one pod.
_PIECES_OF_POD = 5


class _Answer(NamedTuple):
    """Numbers of nodes. They are valid while the query's stamp equals ``stamp``."""

    stamp: tuple[int, ...]
    nodes: NDArray[np.int32]


class _Draft:
    """An index that does not have all pods yet: pods may come and go while it is built."""

    def __init__(self) -> None:
        self.index = PodIndex(())
        self._entered: set[str] = set()
        self._changed: set[str] = set()

    def enter(self, pod: PodFact) -> None:
        self._changed.add(pod.uid)
        self._entered.add(pod.uid)
        self.index.enter(pod)

    def leave(self, pod: PodFact) -> None:
        self._changed.add(pod.uid)
        if pod.uid in self._entered:
            self._entered.discard(pod.uid)
            self.index.leave(pod)

    def enter_as_it_was(self, pod: PodFact) -> None:
        """Enter a pod that existed when the build began, unless it has changed since then."""
        if pod.uid not in self._changed:
            self._entered.add(pod.uid)
            self.index.enter(pod)


class PodsByLabel:
    """The pods on nodes, by label. ``there`` lists all of them for the first query."""

    def __init__(self, there: Callable[[], Iterable[PodFact]]) -> None:
        self._there = there
        self._index: PodIndex | None = None
        self._draft: _Draft | None = None
        self._answers = KeptAnswers[Question, _Answer]()

    @property
    def are_asked_for(self) -> bool:
        """Whether there was a query, so that labels of pods matter."""
        return self._index is not None

    def enter(self, pod: PodFact) -> None:
        """Add a pod that is on its node."""
        if self._index is not None:
            self._index.enter(pod)
        elif self._draft is not None:
            self._draft.enter(pod)

    def leave(self, pod: PodFact) -> None:
        """Remove a pod."""
        if self._index is not None:
            self._index.leave(pod)
        elif self._draft is not None:
            self._draft.leave(pod)

    def making_ready(self, steps: Steps) -> Generator[None, None, None]:
        """Enter all pods for the first query, in steps between which pods may come and go."""
        if self._index is not None:
            return
        draft = self._draft = _Draft()
        try:
            for pod in list(self._there()):
                draft.enter_as_it_was(pod)
                if steps.are_due(_PIECES_OF_POD):
                    yield
            if self._draft is draft:
                self._index = draft.index
        finally:
            if self._draft is draft:
                self._draft = None

    def reading_values(self, demand: PodDemand, steps: Steps) -> Generator[None, None, None]:
        """Read the values of the labels that a query is about, in steps between which pods may come and go."""
        if self._index is not None:
            for key in self._index.known(demand.labels.of.keys()):
                yield from self._index.reading_values(key, steps)

    def nodes_of(self, demands: Iterable[PodDemand], own: Iterable[PodFact] = ()) -> set[str]:
        """The nodes with pods that any of these queries selects; ``own``, the pods of the asking gang, do not count."""
        if self._index is None:
            self._index, self._draft = PodIndex(self._there()), None
        index, own_rows = self._index, self._index.rows_of(own)
        found = np.zeros(len(index.nodes), dtype=np.bool_)
        for demand in demands:
            found[self._besides(index, demand, own_rows) if own_rows.size else self._answer(index, demand)] = True
        return {index.nodes.name(number) for number in np.flatnonzero(found).tolist()}

    def _besides(self, index: PodIndex, demand: PodDemand, own: Rows) -> NDArray[np.int32]:
        """The numbers of the nodes of selected pods, without the asking gang's own pods."""
        rows = PodQuestion(index, demand).rows()
        return index.node[rows[~np.isin(rows, own)]]

    def _answer(self, index: PodIndex, demand: PodDemand) -> NDArray[np.int32]:
        asked = PodQuestion(index, demand)
        known = self._answers.get(demand.question)
        if known is None or known.stamp != asked.stamp:
            nodes = _distinct(index.node[asked.rows()], len(index.nodes))
            known = _Answer(asked.stamp, nodes)
            self._answers.keep(demand.question, known, nodes.nbytes + BYTES_OF_WORD * words_of(demand.question))
        return known.nodes


def _distinct(numbers: NDArray[np.int32], most: int) -> NDArray[np.int32]:
    """Each number once, without sorting."""
    found = np.zeros(most, dtype=np.bool_)
    found[numbers] = True
    return np.flatnonzero(found).astype(np.int32)
