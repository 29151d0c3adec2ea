"""The answer to a problem without a solution: a reason, and a sentence with numbers."""

from collections.abc import Callable, Mapping
from typing import Any

from coschedule.problems.al_saqabi.offer_refusals import (
    FewerSlotsThanPieces,
    NoNodesTogether,
    NoRoom,
    NothingFree,
    TurnaroundTooShort,
)
from coschedule.problems.atallah.gang import (
    EndsTooLate,
    NeverFreeTogether,
    NoGang,
    NoRunTime,
    TooFewSlots,
    WindowsTooShort,
)
from coschedule.problems.du.pace import NoPace
from coschedule.problems.shum.shares import NoShares

Refusal = NoGang | NoRoom | NoShares | NoPace


def write_refusal(refusal: Refusal) -> dict[str, Any]:
    """Return the answer that there is no solution, with a reason and a sentence."""
    return {"feasible": False, "reason": _reason(refusal), "message": sentence_of(refusal)}


def sentence_of(refusal: Refusal) -> str:
    """Return a refusal as one sentence, without an initial capital and a full stop."""
    return _SENTENCES[type(refusal)](refusal)


def _reason(refusal: Refusal) -> str:
    if isinstance(refusal, NoShares):
        return "NoSharesFit"
    return "NoPowerLeft" if isinstance(refusal, NoPace) else "NoGroupFits"


def _too_few_slots(refusal: TooFewSlots) -> str:
    return f"needs {refusal.needed} or more members and the nodes hold {refusal.slots}"


def _no_run_time(refusal: NoRunTime) -> str:
    return f"no size from {refusal.minimum} to {refusal.maximum} has a run time"


def _windows_too_short(refusal: WindowsTooShort) -> str:
    run = f"a run ends, which takes {refusal.shortest_seconds} s at least"
    return f"no {refusal.size} places are free together until {run}"


def _never_together(refusal: NeverFreeTogether) -> str:
    run = f"a run ends, which is after {refusal.earliest_finish} s at the earliest"
    return f"no {refusal.size} places are free together until {run}"


def _too_late(refusal: EndsTooLate) -> str:
    return f"the earliest finish is {refusal.earliest_finish} s, after the deadline of {refusal.deadline} s"


def _fewer_slots(refusal: FewerSlotsThanPieces) -> str:
    return f"{refusal.pieces} pieces need as many slots and the nodes have {refusal.slots}"


def _no_nodes_together(refusal: NoNodesTogether) -> str:
    return f"no nodes are free together until {refusal.pieces} pieces are done"


def _turnaround(refusal: TurnaroundTooShort) -> str:
    return f"{refusal.done} of {refusal.pieces} pieces are done within {refusal.turnaround}"


def _nothing_free(refusal: NothingFree) -> str:
    return f"no processor is free in any of {refusal.slices} slices"


def _no_shares(refusal: NoShares) -> str:
    return f"the smallest levels need {refusal.needed} workstations together and there are {refusal.total}"


def _no_pace(refusal: NoPace) -> str:
    return f"node {refusal.node} leaves a member none of its time"


_SENTENCES: Mapping[type, Callable[[Any], str]] = {
    TooFewSlots: _too_few_slots,
    NoRunTime: _no_run_time,
    WindowsTooShort: _windows_too_short,
    NeverFreeTogether: _never_together,
    EndsTooLate: _too_late,
    FewerSlotsThanPieces: _fewer_slots,
    NoNodesTogether: _no_nodes_together,
    TurnaroundTooShort: _turnaround,
    NothingFree: _nothing_free,
    NoShares: _no_shares,
    NoPace: _no_pace,
}
