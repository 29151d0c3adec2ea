"""What a gang waits for before it may start: other gangs of its namespace, by ``spec.after``.

What became of each of them is recorded in ``status.after``. Only this record counts: its predecessor may be gone.
"""

from enum import Enum, StrEnum, auto
from typing import NamedTuple, assert_never

from coschedule import GangKey
from lockstep.facts.gang.keys import pod_gang_key
from lockstep.facts.runs.sweep_keys import sweep_key

MOST_PREDECESSORS = 10
"""The most entries of ``spec.after`` that are read; the schema allows no more."""


class PredecessorKind(StrEnum):
    """The kinds of objects that a gang may wait for."""

    GANG_JOB = "GangJob"
    GANG = "Gang"
    GANG_SWEEP = "GangSweep"

    def key(self, namespace: str, name: str) -> GangKey:
        """The key of the object of that kind and name."""
        match self:
            case PredecessorKind.GANG_JOB:
                return GangKey(namespace, name)
            case PredecessorKind.GANG:
                return pod_gang_key(namespace, name)
            case PredecessorKind.GANG_SWEEP:
                return sweep_key(namespace, name)
            case _:
                assert_never(self)


class When(StrEnum):
    """What has to become of a predecessor."""

    SUCCEEDED = "Succeeded"
    FAILED = "Failed"
    ENDED = "Ended"
    STARTED = "Started"

    @property
    def clause(self) -> str:
        """What the predecessor has done then."""
        return f"has {self.lower()}"


class Missing(StrEnum):
    """What a gang does while there is no object of a predecessor's name."""

    WAIT = "Wait"
    FAIL = "Fail"


class PredecessorOutcome(StrEnum):
    """What has become of a predecessor."""

    STARTED = "Started"
    SUCCEEDED = "Succeeded"
    FAILED = "Failed"


class Satisfaction(Enum):
    """Whether what a gang waits for has happened, may happen yet, or never will."""

    MET = auto()
    OPEN = auto()
    NEVER = auto()


class Predecessor(NamedTuple):
    """One entry of ``spec.after``."""

    name: str
    kind: PredecessorKind = PredecessorKind.GANG_JOB
    when: When = When.SUCCEEDED
    missing: Missing = Missing.WAIT

    @property
    def title(self) -> str:
        """How sentences call it: the name of a GangJob, or the kind and the name of another object."""
        return self.name if self.kind is PredecessorKind.GANG_JOB else f"{self.kind} {self.name}"


class Recorded(NamedTuple):
    """One entry of ``status.after``: the predecessor with that UID, and its ``outcome`` at a time, None before one."""

    name: str
    kind: PredecessorKind
    uid: str
    outcome: PredecessorOutcome | None = None
    at: float | None = None

    def answer(self, when: When) -> Satisfaction:
        """Whether that has happened."""
        return answer(self.outcome, when)


class SeenPredecessor(NamedTuple):
    """A predecessor as the cache has it: when it ``started``, and how it has ended, None if it has not."""

    uid: str
    started: float | None
    end: PredecessorOutcome | None
    ended: float | None


class _Answers(NamedTuple):
    """Whether a start, a success and a failure of a predecessor are what a gang waits for."""

    started: Satisfaction
    succeeded: Satisfaction
    failed: Satisfaction


def answer(outcome: PredecessorOutcome | None, when: When) -> Satisfaction:
    """Whether a predecessor of that outcome is what a gang waits for."""
    if outcome is None:
        return Satisfaction.OPEN
    answers = _answers_to(when)
    match outcome:
        case PredecessorOutcome.STARTED:
            return answers.started
        case PredecessorOutcome.SUCCEEDED:
            return answers.succeeded
        case PredecessorOutcome.FAILED:
            return answers.failed
        case _:
            assert_never(outcome)


def _answers_to(when: When) -> _Answers:
    """The failure of a gang that has started is recorded as a start, if that is what counts."""
    match when:
        case When.SUCCEEDED:
            return _Answers(Satisfaction.OPEN, Satisfaction.MET, Satisfaction.NEVER)
        case When.FAILED:
            return _Answers(Satisfaction.OPEN, Satisfaction.NEVER, Satisfaction.MET)
        case When.ENDED:
            return _Answers(Satisfaction.OPEN, Satisfaction.MET, Satisfaction.MET)
        case When.STARTED:
            return _Answers(Satisfaction.MET, Satisfaction.MET, Satisfaction.NEVER)
        case _:
            assert_never(when)


def recorded(asked: Predecessor, before: Recorded | None, seen: SeenPredecessor | None) -> Recorded | None:
    """What is recorded of a predecessor once it is ``seen``; None while it is missing.

    A final answer stays, whatever becomes of the predecessor, and whichever object has its name later.
    """
    kept = before if before is not None and before.answer(asked.when) is not Satisfaction.OPEN else None
    if seen is None or (kept is not None and kept.uid != seen.uid):
        return kept
    found = _as_seen(asked, seen)
    return kept if kept is not None and found.answer(asked.when) is Satisfaction.OPEN else found


def _as_seen(asked: Predecessor, seen: SeenPredecessor) -> Recorded:
    entry = Recorded(asked.name, asked.kind, seen.uid)
    if asked.when is When.STARTED and seen.started is not None:
        return entry._replace(outcome=PredecessorOutcome.STARTED, at=seen.started)
    return entry._replace(outcome=seen.end, at=seen.ended)
