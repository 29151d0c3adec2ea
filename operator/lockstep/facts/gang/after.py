"""The objects that a gang waits for before it may start: gangs and sweeps of its namespace, by ``spec.after``.

``status.after`` records the outcome of each of these predecessors. Only this record counts: a predecessor may be gone.
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
    """The outcome of a predecessor that a gang needs before it may start."""

    SUCCEEDED = "Succeeded"
    FAILED = "Failed"
    ENDED = "Ended"
    STARTED = "Started"

    @property
    def clause(self) -> str:
        """The outcome as a clause about the predecessor, such as ``has succeeded``."""
        return f"has {self.lower()}"


class Missing(StrEnum):
    """What a gang does while no object has the name of a predecessor."""

    WAIT = "Wait"
    FAIL = "Fail"


class PredecessorOutcome(StrEnum):
    """The outcome of a predecessor."""

    STARTED = "Started"
    SUCCEEDED = "Succeeded"
    FAILED = "Failed"


class Satisfaction(Enum):
    """Whether the outcome for which a gang waits has happened, may still happen, or never will."""

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
        """The predecessor's name in sentences: the name of a GangJob, or the kind and name of another object."""
        return self.name if self.kind is PredecessorKind.GANG_JOB else f"{self.kind} {self.name}"


class Recorded(NamedTuple):
    """One entry of ``status.after``: what is recorded of the predecessor with this UID.

    ``outcome`` is its outcome, and ``at`` the time of the outcome; both are None if there is no outcome yet.
    """

    name: str
    kind: PredecessorKind
    uid: str
    outcome: PredecessorOutcome | None = None
    at: float | None = None

    def answer(self, when: When) -> Satisfaction:
        """Whether the outcome for which the gang waits has happened."""
        return answer(self.outcome, when)


class SeenPredecessor(NamedTuple):
    """A predecessor in the cache.

    It ``started`` and ``ended`` at these times, with the outcome ``end``. Each is None if that has not happened.
    """

    uid: str
    started: float | None
    end: PredecessorOutcome | None
    ended: float | None


class _Answers(NamedTuple):
    """The answers to a start, a success and a failure of a predecessor, for one ``When``."""

    started: Satisfaction
    succeeded: Satisfaction
    failed: Satisfaction


def answer(outcome: PredecessorOutcome | None, when: When) -> Satisfaction:
    """Whether a predecessor with that outcome has done what a gang waits for."""
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
    """The answers to each outcome. With ``STARTED``, only a predecessor that never started is recorded as failed."""
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
    """The new record of a predecessor, from its record ``before`` and its object ``seen``.

    None if no object is seen, and ``before`` has no final answer.

    A final answer stays until the same object has another final answer. Other objects of the same name do not change
    it.
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
