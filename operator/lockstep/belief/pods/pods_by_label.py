"""On which nodes pods of which labels are: what required affinity and anti-affinity of a gang's own ask for.

Nothing is kept before somebody asks. Then a question is answered from the pods that have the rarest label that it asks
for; one that asks for none, or for a common one, by going through all pods at once. Answers are remembered until pods
with any of the question's labels change.
"""

from collections.abc import Callable, Generator, Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lockstep.belief.common.kept_answers import BYTES_OF_WORD, KeptAnswers
from lockstep.belief.common.steps import Steps
from lockstep.belief.pods.pod_index import PodIndex, Rows
from lockstep.belief.pods.pod_questions import PodQuestion, Question, words_of
from lockstep.facts.pods.pod import PodFact

# To enter a pod takes as long as so many simple things.
_PIECES_OF_POD = 5


class _Answer(NamedTuple):
    """Numbers of nodes, as long as the stamp of the pods that count is the same."""

    stamp: tuple[int, ...]
    nodes: NDArray[np.int32]


class _Draft:
    """An index to which not all pods have been entered yet: what comes and goes meanwhile counts."""

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
        """The pod was there when the draft was begun; what has changed since counts more."""
        if pod.uid not in self._changed:
            self._entered.add(pod.uid)
            self.index.enter(pod)


class Whereabouts:
    """The pods that are on a node, and on which. ``there`` lists all of them, for the first who asks."""

    def __init__(self, there: Callable[[], Iterable[PodFact]]) -> None:
        self._there = there
        self._index: PodIndex | None = None
        self._draft: _Draft | None = None
        self._answers = KeptAnswers[Question, _Answer]()

    @property
    def are_asked_for(self) -> bool:
        """Whether anybody has asked, so that it matters which labels a pod has."""
        return self._index is not None

    def enter(self, pod: PodFact) -> None:
        """One more pod is on its node."""
        if self._index is not None:
            self._index.enter(pod)
        elif self._draft is not None:
            self._draft.enter(pod)

    def leave(self, pod: PodFact) -> None:
        """One pod less."""
        if self._index is not None:
            self._index.leave(pod)
        elif self._draft is not None:
            self._draft.leave(pod)

    def making_ready(self, steps: Steps) -> Generator[None, None, None]:
        """Enter all pods for the first question, in steps between which pods may come and go."""
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

    def nodes_of(self, questions: Iterable[Question], own: Iterable[PodFact] = ()) -> set[str]:
        """The nodes with pods that any of these questions means, besides one's ``own``."""
        if self._index is None:
            self._index, self._draft = PodIndex(self._there()), None
        index, own_rows = self._index, self._index.rows_of(own)
        found = np.zeros(len(index.nodes), dtype=np.bool_)
        for question in questions:
            found[self._besides(index, question, own_rows) if own_rows.size else self._answer(index, question)] = True
        return {index.nodes.name(number) for number in np.flatnonzero(found).tolist()}

    def _besides(self, index: PodIndex, question: Question, own: Rows) -> NDArray[np.int32]:
        """The nodes of pods that are meant and are not one's own."""
        rows = PodQuestion(index, question).rows()
        return index.node[rows[~np.isin(rows, own)]]

    def _answer(self, index: PodIndex, question: Question) -> NDArray[np.int32]:
        asked = PodQuestion(index, question)
        known = self._answers.get(question)
        if known is None or known.stamp != asked.stamp:
            nodes = _distinct(index.node[asked.rows()], len(index.nodes))
            known = _Answer(asked.stamp, nodes)
            self._answers.keep(question, known, nodes.nbytes + BYTES_OF_WORD * words_of(question))
        return known.nodes


def _distinct(numbers: NDArray[np.int32], most: int) -> NDArray[np.int32]:
    """Each number once: faster than by sorting them."""
    found = np.zeros(most, dtype=np.bool_)
    found[numbers] = True
    return np.flatnonzero(found).astype(np.int32)
