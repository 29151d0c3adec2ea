"""The history of a gang's attempts, and how long the gang rests after a failure."""

import asyncio
import math
from dataclasses import dataclass, field
from typing import NamedTuple

from lockstep.act.admission.repeats import pause_before_repeat
from lockstep.act.attempt import Attempt
from lockstep.api.client.pauses import pause_after
from lockstep.facts.pods.failure import Failure
from lockstep.facts.reasons import Reason

# After more failures than this, a gang loses its place in the queue, and delays no other gang. The pauses after these
# failures take about a minute in total.
_FAILURES_WITH_A_PLACE = 6
# If a failure makes pods begin anew, their owner loses these pods, so the pauses are longer. After more failures of
# this kind than this number, a gang loses its place in the queue.
_BEGUN_ANEW_WITH_A_PLACE = 2

# Changes by admission are no failures until their number is larger than this: the next attempt is planned with them.
_MOST_SURPRISES = 3


class Rest(NamedTuple):
    """A gang's rest until a time of day, in epoch seconds.

    The gang's pods have begun anew ``begun_anew`` times. ``failure`` is why they last began anew.
    """

    begun_anew: int
    failure: Failure
    until: float


@dataclass(slots=True, kw_only=True)
class AttemptHistory:
    """The history of the attempts of the gang with that UID.

    ``retry_at`` and ``runs_since`` are monotonic, so they stay valid when the clock is set. ``last_anew`` is why the
    gang's pods last began anew.
    """

    gang_uid: str
    failures: int = 0
    begun_anew: int = 0
    last_anew: Failure | None = None
    surprises: int = 0
    retry_at: float = -math.inf
    runs_since: float = math.inf
    retry: asyncio.TimerHandle | None = None
    attempt: Attempt | None = None
    task: asyncio.Task[None] | None = field(default=None)

    def pause(self, failure: Failure | None) -> float:
        """The seconds for which the gang rests after that failure."""
        if self._is_surprise(failure) or _is_wanted(failure):
            return 0.0
        if failure is not None and failure.begins_anew:
            # The first failure of this kind may have an outside cause, such as a node.
            return pause_before_repeat(self.begun_anew - 1) if self.begun_anew else pause_after(self.failures)
        return pause_after(self.failures)

    def count(self, failure: Failure | None) -> None:
        """Count a failure of the gang. A wanted end is not counted.

        The first changes by admission count as surprises, and not as failures.
        """
        if self._is_surprise(failure):
            self.surprises += 1
        elif not _is_wanted(failure):
            self.failures += 1
            self._count_anew(failure)

    @property
    def has_no_place(self) -> bool:
        """Whether the gang has failed so often that it delays no other gang while it rests."""
        return self.failures > _FAILURES_WITH_A_PLACE or self.begun_anew > _BEGUN_ANEW_WITH_A_PLACE

    def _count_anew(self, failure: Failure | None) -> None:
        if failure is not None and failure.begins_anew:
            self.begun_anew += 1
            self.last_anew = failure

    def _is_surprise(self, failure: Failure | None) -> bool:
        """Whether the failure is one of the first changes by admission.

        The next attempt is planned with such a change, so it may succeed. But admission may change members in another
        way each time, so later changes are failures.
        """
        is_changed = failure is not None and failure.reason is Reason.CHANGED_BY_ADMISSION
        return is_changed and self.surprises < _MOST_SURPRISES


def _is_wanted(failure: Failure | None) -> bool:
    return failure is not None and failure.is_wanted
