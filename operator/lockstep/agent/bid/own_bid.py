"""What the operator tells the node's agent, in the status of the node's bid: watched in a thread of its own."""

from collections.abc import Callable, Iterator, Mapping
from threading import Event, Thread
from typing import Any

from lockstep.agent.bid.clock import Clock
from lockstep.agent.bid.connection import RawAnswer
from lockstep.agent.bid.repeated_failure import RepeatedFailure
from lockstep.api.client.pauses import pause_after
from lockstep.api.names import API_VERSION, BIDS
from lockstep.api.nodebid.offer import PlannedOnNode, planned_in

# Each watch begins with the bid as it is, so that what was missed meanwhile is made up for.
_WATCH_SECONDS = 1800

Watch = Callable[[str, Mapping[str, str]], Iterator[RawAnswer | Mapping[str, Any]]]


class OwnBid:
    """The newest that the operator has said; None as long as it has said nothing.

    The clock has heard the API server's time before: an old history is told from a wrong clock of the node by it.
    """

    def __init__(self, node: str, watch: Watch, clock: Clock, stop: Event) -> None:
        self.planned: PlannedOnNode | None = None
        self._watch = watch
        self._clock = clock
        self._stop = stop
        self._query = {
            "fieldSelector": f"metadata.name={node}",
            "resourceVersion": "0",
            "allowWatchBookmarks": "true",
            "timeoutSeconds": str(_WATCH_SECONDS),
        }
        self._failures = 0
        self._trouble = RepeatedFailure("the node's own bid can't be watched")

    def start(self) -> None:
        """Follow it from now on. The thread ends with the process."""
        Thread(target=self.follow, name="own-bid", daemon=True).start()

    def follow(self) -> None:
        """Watch, again and again, until somebody says stop."""
        while not self._stop.is_set():
            for one in self._watch(f"/apis/{API_VERSION}/{BIDS}", self._query):
                if isinstance(one, RawAnswer):
                    self._answered(one)
                else:
                    self._happened(one)
            self._stop.wait(pause_after(self._failures))
            self._failures += 1

    def _answered(self, answer: RawAnswer) -> None:
        if answer.wall is not None:
            self._clock.hear(answer.wall)
        if answer.is_success:
            self._trouble.is_over()
        else:
            self._trouble.is_there(answer.code, answer.message)

    def _happened(self, event: Mapping[str, Any]) -> None:
        """A bid that is gone, or new, says nothing: what was said before is still the best guess."""
        self._failures = 0
        planned = planned_in(event.get("object") or {}) if event.get("type") in {"ADDED", "MODIFIED"} else None
        if planned is not None:
            self.planned = planned
