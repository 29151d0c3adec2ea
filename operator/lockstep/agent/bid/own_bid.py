"""Watches the node's own bid in a thread. The status of the bid has the operator's report to the agent."""

from collections.abc import Callable, Iterator, Mapping
from threading import Event, Thread
from typing import Any

from lockstep.agent.bid.clock import Clock
from lockstep.agent.bid.connection import RawAnswer
from lockstep.agent.bid.repeated_failure import RepeatedFailure
from lockstep.api.client.pauses import pause_after
from lockstep.api.names import API_VERSION, BIDS
from lockstep.api.nodebid.offer import PlannedOnNode, planned_in

# Each watch starts with the current bid, so no change between two watches is missed.
_WATCH_SECONDS = 1800

Watch = Callable[[str, Mapping[str, str]], Iterator[RawAnswer | Mapping[str, Any]]]


class OwnBid:
    """Keeps the newest report of the operator in ``planned``; None until there is one.

    The clock gets the API server's time before ``planned`` is set, and the agent reads the history only after that. So
    a wrong clock of the node can't make the history seem too old.
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
        """Watch the bid in a daemon thread, which ends with the process."""
        Thread(target=self.follow, name="own-bid", daemon=True).start()

    def follow(self) -> None:
        """Watch again and again until ``stop`` is set."""
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
        """Keep the report in the event. A deleted or new bid has no report; then the last report stays."""
        self._failures = 0
        planned = planned_in(event.get("object") or {}) if event.get("type") in {"ADDED", "MODIFIED"} else None
        if planned is not None:
            self.planned = planned
