"""The part of a run that is lost when it ends, because its gang has not saved it.

Records and accounts use this rule.
"""

from coschedule import Interruptible
from lockstep.facts.gang.gang import GangSpec
from lockstep.facts.reason_meanings import MEANINGS
from lockstep.facts.reasons import Reason


def lost_seconds(spec: GangSpec | None, reason: str, since: float, ended: float) -> float:
    """The most seconds from ``since`` to ``ended`` that are lost, if a run ends for that reason.

    A gang that changes its size saves its work if it has notice of its end. A gang with checkpoints loses at most its
    work since the last checkpoint.
    """
    if reason in (Reason.SUCCEEDED, Reason.CHANGING_SIZE):
        return 0.0
    return min(max(0.0, ended - since), _most_lost(spec, reason))


def _most_lost(spec: GangSpec | None, reason: str) -> float:
    """The most seconds of its run that a gang can lose; infinity if it may lose all."""
    if spec is None:
        return float("inf")
    if spec.elastic is not None and reason in set(Reason) and MEANINGS[Reason(reason)].saves_work:
        return 0.0
    return spec.checkpoint_interval if spec.interruptible is Interruptible.CHECKPOINTED else float("inf")
