"""On which nodes pods of which labels are: what required affinity and anti-affinity of a gang's own ask for.

Nothing is kept before somebody asks. Then a question is answered from the pods that have the rarest label that it asks
for; one that asks for none, or for a common one, by going through all pods at once. Answers are remembered until pods
with any of the question's labels change.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lockstep.belief.kept_answers import BYTES_OF_WORD, KeptAnswers
from lockstep.belief.pod_index import PodIndex, Rows
from lockstep.belief.pod_questions import PodQuestion, Question, words_of
from lockstep.facts.pod import PodFact


class _Answer(NamedTuple):
    """Numbers of nodes, as long as the stamp of the pods that count is the same."""

    stamp: tuple[int, ...]
    nodes: NDArray[np.int32]


class Whereabouts:
    """The pods that are on a node, and on which. ``there`` lists all of them, for the first who asks."""

    def __init__(self, there: Callable[[], Iterable[PodFact]]) -> None:
        self._there = there
        self._index: PodIndex | None = None
        self._answers = KeptAnswers[Question, _Answer]()

    @property
    def are_asked_for(self) -> bool:
        """Whether anybody has asked, so that it matters which labels a pod has."""
        return self._index is not None

    def enter(self, pod: PodFact) -> None:
        """One more pod is on its node."""
        if self._index is not None:
            self._index.enter(pod)

    def leave(self, pod: PodFact) -> None:
        """One pod less."""
        if self._index is not None:
            self._index.leave(pod)

    def nodes_of(self, questions: Iterable[Question], own: Iterable[PodFact] = ()) -> set[str]:
        """The nodes with pods that any of these questions means, besides one's ``own``."""
        if self._index is None:
            self._index = PodIndex(self._there())
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
