"""A GangSweep: the spec that a user wrote, and its last status."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from coschedule import GangKey, RunTimeLaw
from lockstep.facts.document import Document
from lockstep.facts.gang.status import ConditionFact


class SweepCondition(StrEnum):
    """The types of a GangSweep's conditions."""

    ACCEPTED = "Accepted"
    COMPLETE = "Complete"
    FAILED = "Failed"


class SweepState(StrEnum):
    """The state of a sweep in a word."""

    RUNNING = "Running"
    SUSPENDED = "Suspended"
    REFUSED = "Refused"
    COMPLETE = "Complete"
    FAILED = "Failed"


class SweepReason(StrEnum):
    """Reasons of conditions of a sweep, and of failures of single runs that had no GangJob."""

    SPEC_UNDERSTOOD = "SpecUnderstood"
    TEMPLATE_REFUSED = "TemplateRefused"
    PARAMETERS_REFUSED = "ParametersRefused"
    RUN_REFUSED = "RunRefused"
    RUNS_ENDED = "RunsEnded"
    ENOUGH_SUCCEEDED = "EnoughSucceeded"
    TOO_MANY_FAILED = "TooManyFailed"
    TOO_FEW_LEFT = "TooFewLeft"
    NAME_TAKEN = "NameTaken"


_CONDITIONS = frozenset(SweepCondition)
_REASONS = frozenset(SweepReason)


class SweepRefusal(NamedTuple):
    """Why no run can be made: an enumerated reason, and a sentence that names the field."""

    reason: SweepReason
    message: str


class SweepEnd(NamedTuple):
    """How a sweep has ended: the condition that becomes True, and its reason."""

    condition: SweepCondition
    reason: SweepReason


class RunFailure(NamedTuple):
    """Why a run failed, in a word and as a sentence."""

    run: int
    reason: str
    message: str


class RequeueRequest(NamedTuple):
    """The failed ``runs`` that should run again, as a set of ``facts/ranks``; each ``id`` is obeyed once."""

    id: str
    runs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepSpec:
    """The spec of a GangSweep.

    The sweep has this number of ``runs``. If it is None, ConfigMap ``parameters`` has a line for each run.

    ``first`` runs have to succeed before the sweep ends; None if all runs have to end. With more than ``max_failed``
    failures, the sweep fails. ``template`` is the spec of the GangJob of a run.
    """

    runs: int | None
    parameters: str
    max_parallel: int | None
    first: int | None
    max_failed: int | None
    law: RunTimeLaw
    is_suspended: bool
    template: Document


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepStatus:
    """A GangSweep's status: what the operator last wrote, which is also its write-ahead log.

    ``run_ends`` are packed as by ``RunEnds``. ``size`` is the number of members that the next runs get. ``requeued`` is
    the id of the last request that was obeyed. ``parameters_uid`` is the UID of the ConfigMap from which the first runs
    were made.
    """

    observed_generation: int = 0
    state: str = ""
    summary: str = ""
    runs: int | None = None
    running: int = 0
    waiting: int = 0
    succeeded: int = 0
    failed: int = 0
    failed_runs: str = ""
    run_ends: bytes = b""
    failures: tuple[RunFailure, ...] = ()
    size: int | None = None
    size_reason: str = ""
    requeued: str = ""
    parameters_uid: str = ""
    started_at: float | None = None
    expected_finish: float | None = None
    finished_at: float | None = None
    conditions: tuple[ConditionFact, ...] = ()

    def condition(self, kind: str) -> ConditionFact | None:
        """The condition of that type, if it has been written."""
        return next((one for one in self.conditions if one.type == kind), None)

    @property
    def end(self) -> SweepEnd | None:
        """How the sweep has ended, well or not; None if it has not, or if Lockstep did not write the condition."""
        for one in self.conditions:
            is_known = one.type in _CONDITIONS and one.reason in _REASONS
            if is_known and one.type != SweepCondition.ACCEPTED and one.status == "True":
                return SweepEnd(SweepCondition(one.type), SweepReason(one.reason))
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """One GangSweep in one version. ``user`` is the user in its annotation, who created it.

    ``queue`` is the queue of Kueue that its label names, for its runs; empty without one.
    """

    key: GangKey
    uid: str
    resource_version: str
    generation: int
    is_deleting: bool
    spec: SweepSpec
    status: SweepStatus = field(default_factory=SweepStatus)
    requeue: RequeueRequest | None = None
    user: str = ""
    queue: str = ""
