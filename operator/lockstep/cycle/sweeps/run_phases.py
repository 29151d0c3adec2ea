"""The progress of a run's GangJob, as far as its sweep needs it."""

from dataclasses import dataclass
from enum import StrEnum
from typing import assert_never

from lockstep.belief.gangs.age import age_stands_still
from lockstep.facts.gang.gang import GangFact, RefusedGang
from lockstep.facts.reasons import Condition
from lockstep.facts.sweeps.run_ends import RunEnd


class RunPhase(StrEnum):
    """The phase of a run. ``STUCK``: the GangJob is refused, suspended, or would not fit even on empty nodes."""

    WAITING = "Waiting"
    STUCK = "Stuck"
    RUNNING = "Running"
    SUCCEEDED = "Succeeded"
    FAILED = "Failed"

    @property
    def may_start(self) -> bool:
        """Whether the run has not started yet."""
        match self:
            case RunPhase.WAITING | RunPhase.STUCK:
                return True
            case RunPhase.RUNNING | RunPhase.SUCCEEDED | RunPhase.FAILED:
                return False
            case _:
                assert_never(self)

    @property
    def end(self) -> RunEnd:
        """The end of the run; ``NOT_YET`` if it has not ended."""
        match self:
            case RunPhase.SUCCEEDED:
                return RunEnd.SUCCEEDED
            case RunPhase.FAILED:
                return RunEnd.FAILED
            case RunPhase.WAITING | RunPhase.STUCK | RunPhase.RUNNING:
                return RunEnd.NOT_YET
            case _:
                assert_never(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunGang:
    """The GangJob of a run. ``reason`` and ``message`` say how it has ended."""

    uid: str
    version: str
    phase: RunPhase
    is_deleting: bool = False
    reason: str = ""
    message: str = ""


def run_gang_of(gang: GangFact) -> RunGang:
    """The facts of the GangJob that its sweep needs."""
    end = gang.status.end
    return RunGang(
        uid=gang.uid,
        version=gang.resource_version,
        phase=_phase(gang),
        is_deleting=gang.is_deleting,
        reason="" if end is None else end.reason,
        message="" if end is None else end.message,
    )


def _phase(gang: GangFact) -> RunPhase:
    end = gang.status.end
    if end is not None:
        return RunPhase.SUCCEEDED if end.type == Condition.COMPLETE else RunPhase.FAILED
    if gang.status.reserved_at is not None:
        return RunPhase.RUNNING
    return RunPhase.STUCK if isinstance(gang, RefusedGang) or age_stands_still(gang) else RunPhase.WAITING
