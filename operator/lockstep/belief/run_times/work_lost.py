"""The part of a run that is lost when the run ends, because the gang has not saved it.

Records and accounts use this rule.
"""

from coschedule import Interruptible
from lockstep.facts.gang.gang import GangSpec
from lockstep.facts.reason_meanings import MEANINGS
from lockstep.facts.reasons import Reason


def lost_seconds(spec: GangSpec | None, reason: str, since: float, ended: float) -> float:
    """The most seconds from ``since`` to ``ended`` that are lost, if a run ends for that reason.

    Nothing is lost by success or a change of size. An elastic gang saves its work if it has notice of the end. A gang
    with checkpoints loses at most the work since its last checkpoint.
    """
    if reason in (Reason.SUCCEEDED, Reason.CHANGING_SIZE):
        return 0.0
    return min(max(0.0, ended - since), _most_lost(spec, reason))


def _most_lost(spec: GangSpec | None, reason: str) -> float:
    """The most seconds of a run that the gang can lose; infinity if it may lose the whole run."""
    if spec is None:
        return float("inf")
    if spec.elastic is not None and reason in set(Reason) and MEANINGS[Reason(reason)].saves_work:
        return 0.0
    return spec.checkpoint_interval if spec.interruptible is Interruptible.CHECKPOINTED else float("inf")
