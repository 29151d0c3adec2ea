"""The phase of a gang: all code that needs the phase gets it from :func:`phase_of`."""

from enum import StrEnum
from typing import assert_never

from lockstep.facts.gang.gang import AcceptedGang, GangFact, Refusal
from lockstep.facts.reasons import Condition


class Phase(StrEnum):
    """The phase of a gang, computed anew from facts each time. So a gang may also go back to an earlier phase.

    ``DELETED``: it is being deleted and holds nothing, but a finalizer keeps the object. ``BACKING_OFF``: it failed and
    rests before the next try. ``SUSPENDED``: its user or Kueue suspended it, or its status still says so. ``RESERVED``:
    its members may exist, and not all are known to be bound. ``AWAITS_PODS``: it is a Gang, and too few of its pods
    wait for a node; others may run. ``AWAITS_OTHERS``: other gangs have to start or end first.
    """

    DELETED = "Deleted"
    REFUSED = "Refused"
    SUSPENDED = "Suspended"
    AWAITS_PODS = "AwaitsPods"
    AWAITS_OTHERS = "AwaitsOthers"
    WAITING = "Waiting"
    BACKING_OFF = "BackingOff"
    RESERVED = "Reserved"
    PLACED = "Placed"
    COMPLETE = "Complete"

    @property
    def holds_nodes(self) -> bool:
        """Whether members of the gang may be on nodes."""
        match self:
            case Phase.RESERVED | Phase.PLACED:
                return True
            case Phase.DELETED | Phase.REFUSED | Phase.SUSPENDED | Phase.AWAITS_PODS | Phase.WAITING:
                return False
            case Phase.AWAITS_OTHERS | Phase.BACKING_OFF | Phase.COMPLETE:
                return False
            case _:
                assert_never(self)

    @property
    def is_planned(self) -> bool:
        """Whether plans include the gang."""
        match self:
            case Phase.WAITING | Phase.BACKING_OFF:
                return True
            case Phase.DELETED | Phase.REFUSED | Phase.SUSPENDED | Phase.AWAITS_PODS | Phase.RESERVED:
                return False
            case Phase.AWAITS_OTHERS | Phase.PLACED | Phase.COMPLETE:
                return False
            case _:
                assert_never(self)


def phase_of(gang: GangFact, *, is_reserved: bool, refusal: Refusal | None, is_resting: bool) -> Phase:
    """The gang's phase.

    ``is_reserved``: the cache or the status has nodes reserved for it. ``refusal``: why it can't be planned, by its own
    spec or by objects that the spec names. ``is_resting``: it failed and may not be tried again yet.
    """
    if gang.status.end is not None:
        return Phase.COMPLETE
    if is_reserved:
        return Phase.PLACED if gang.status.is_true(Condition.PLACED) else Phase.RESERVED
    if gang.is_deleting:
        return Phase.DELETED
    if refusal is not None:
        return Phase.REFUSED
    if gang.policies.is_suspended or gang.status.is_true(Condition.SUSPENDED):
        return Phase.SUSPENDED
    return _waiting_phase(gang, is_resting=is_resting)


def _waiting_phase(gang: GangFact, *, is_resting: bool) -> Phase:
    if isinstance(gang, AcceptedGang) and gang.spec.awaits_pods:
        return Phase.AWAITS_PODS
    if _awaits_others(gang):
        return Phase.AWAITS_OTHERS
    return Phase.BACKING_OFF if is_resting else Phase.WAITING


def _awaits_others(gang: GangFact) -> bool:
    """Whether other gangs have to start or end first.

    Pods that join the bound pods of a Gang wait for no other gang.
    """
    return bool(gang.unmet) and not (isinstance(gang, AcceptedGang) and gang.spec.has_bound_pods)
