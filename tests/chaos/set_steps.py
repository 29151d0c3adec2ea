"""The steps of the walk that are about ReplicaSets."""

import random

from chaos.job_steps import OWNER_BACK
from chaos.script import Step
from chaos.sets import EVICT, KEEP, SET_NAMES

_LASTING = SET_NAMES[-1]


class SetSteps:
    """Draws steps. Two names come again and again, so ReplicaSets meet what is left of others of their name."""

    def __init__(self, chance: random.Random) -> None:
        self._random = chance

    def submit(self) -> Step:
        """Create a ReplicaSet and its Gang; what is there of it stays as it is."""
        how = {
            "name": self._random.choice(SET_NAMES),
            "size": self._random.choice((1, 2, 3)),
            "cpu": self._random.choice(("250m", "500m")),
            "undo": self._random.choice((EVICT, EVICT, KEEP)),
        }
        return Step("submit set", how)

    def delete(self) -> Step:
        """Delete a ReplicaSet, or its Gang alone."""
        act = self._random.choice(("delete set", "delete gang of set"))
        return Step(act, {"name": self._random.choice(SET_NAMES)})

    def say_undo(self) -> Step:
        """The user decides anew whether pods are evicted."""
        undo = self._random.choice((EVICT, KEEP))
        return Step("say undo", {"name": self._random.choice(SET_NAMES), "undo": undo})

    def lose_node(self) -> Step:
        """A node with a pod of a ReplicaSet is gone or away, or its owner is back."""
        act = self._random.choice(("delete node", "unready", "put bid", "put bid"))
        how = {"name": self._random.choice(SET_NAMES), "which": self._random.random(), "act": act, "spec": OWNER_BACK}
        return Step("lose node of set", how)

    def submit_lasting(self) -> Step:
        """Create the ReplicaSet that is to lose a node."""
        return Step("submit set", {**self.submit().how, "name": _LASTING, "undo": EVICT})

    def lose_node_of_lasting(self) -> Step:
        """The owner of a node with a pod of it is back."""
        return Step("lose node of set", {**self.lose_node().how, "name": _LASTING, "act": "put bid"})
