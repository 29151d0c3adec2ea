"""The steps of the walk that are about Jobs."""

import random

from chaos.jobs import NAMES
from chaos.script import Step

OWNER_BACK = {"onReturn": "Evict", "gracePeriodSeconds": 0, "ownerPresent": True}
_LASTING = NAMES[-1]


class JobSteps:
    """Draws steps. Few names come again and again, so Jobs meet what is left of others of their name."""

    def __init__(self, chance: random.Random) -> None:
        self._random = chance

    def submit(self) -> Step:
        """Create a Job; while there is one of its name, nothing happens."""
        how = {
            "name": self._random.choice(NAMES),
            "size": self._random.choice((1, 2, 3, 4)),
            "sizes": self._random.choice((None, None, "2-4", "1-3")),
            "cpu": self._random.choice(("500m", "1")),
            "run_for": self._random.choice((None, None, None, "1s", "3s")),
            "backoff_limit": self._random.choice((0, 6)),
            "priority": self._random.choice(("", "", "chaos-high", "chaos-urgent")),
        }
        return Step("submit job", how)

    def delete(self) -> Step:
        """Delete a Job."""
        policy = self._random.choice(("Background", "Foreground"))
        return Step("delete job", {"name": self._random.choice(NAMES), "policy": policy})

    def delete_gang(self) -> Step:
        """Delete the Gang that was made for a Job."""
        return Step("delete gang of job", {"name": self._random.choice(NAMES)})

    def lose_node(self) -> Step:
        """A node with a pod of a Job is gone or away, or its owner is back."""
        act = self._random.choice(("delete node", "unready", "put bid"))
        how = {"name": self._random.choice(NAMES), "which": self._random.random(), "act": act, "spec": OWNER_BACK}
        return Step("lose node of job", how)

    def make_room(self) -> Step:
        """Delete the Job that is to come next."""
        return Step("delete job", {"name": _LASTING, "policy": "Background"})

    def submit_lasting(self) -> Step:
        """Create a Job that finds room, and runs until it loses a node."""
        lasting = {"name": _LASTING, "run_for": None, "priority": "chaos-urgent"}
        return Step("submit job", {**self.submit().how, **lasting})

    def lose_node_of_lasting(self) -> Step:
        """A node with a pod of that Job is lost."""
        return Step("lose node of job", {**self.lose_node().how, "name": _LASTING})
