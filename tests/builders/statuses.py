"""A gang, plans for it, and what its status becomes by them."""

from dataclasses import replace

from builders.facts import gang_fact
from coschedule import Members, Pieces, Placement, Share, Spelled, Unplaceable
from coschedule import Reason as PlanReason
from lockstep.belief.holding.reservation import reserved_for
from lockstep.facts.pods.failure import Failure
from lockstep.facts.reasons import Reason
from lockstep.report.status import attempt_marks, plan_marks
from lockstep.snapshot.attempt_start import AttemptStart

NOW = 1000.0
GANG = gang_fact("g", generation=4)


def placement(gang, *, start, by_node=(("n1", 3),)):
    """Plan three members for a minute."""
    return Placement(
        gang=gang.key,
        size=3,
        start=start,
        finish=start + 60,
        speedup=2.5,
        members=tuple(Members(*one) for one in by_node),
        slowest="n1",
        latest=None,
        alternative=None,
    )


PLACEMENT = placement(GANG, start=NOW, by_node=(("n1", 2), ("n2", 1)))
LATER = replace(PLACEMENT, start=NOW + 40)
SHARED = replace(PLACEMENT, members=(Members("n1", 2, Share(2 / 7)), Members("n2", 1, Share(3 / 7))))
IN_PIECES = replace(
    PLACEMENT, members=(Members("n1", 1, Pieces(5)), Members("n1", 1, Pieces(4)), Members("n2", 1, Pieces(9)))
)


def no_place(reason, sentence="Not so."):
    """Refuse the gang a place."""
    return Unplaceable(gang=GANG.key, refusal=Spelled(reason=reason, sentence=sentence))


def no_room(sentence):
    """Refuse the gang a place since nodes are full."""
    return no_place(PlanReason.NOT_ENOUGH_ROOM, sentence)


NO_ROOM = no_room("Needs 3 nodes; 2 are there.")
BROKEN = Failure(reason=Reason.QUOTA_EXCEEDED, message="the API server refused pod g-1-0: exceeded quota")


def with_status(status):
    """Give the gang a status."""
    return replace(GANG, status=status)


def reserved(gang=GANG, planned=PLACEMENT, *, attempt=1, now=NOW, **why):
    """Reserve what is planned; ``why`` it was decided so is as in ``AttemptStart``."""
    reservation = reserved_for(gang, planned, attempt=attempt, now=now)
    return plan_marks.mark_reserved(gang, AttemptStart(reservation=reservation, placement=planned, **why))


def placed():
    """Have what is reserved bound."""
    return attempt_marks.mark_placed(with_status(reserved()), now=NOW)


RESERVED = {
    "reserved": reserved(),
    "reserved with shares": reserved(planned=SHARED),
    "reserved with pieces": reserved(planned=IN_PIECES),
}
