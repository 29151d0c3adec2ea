"""Why a reservation can't be carried out as it stands, in a clause with names and numbers."""

from typing import assert_never

from coschedule import TermKind
from lockstep.report.text.sentences import duration, listed
from lockstep.snapshot.affinity.broken_terms import TermBroken
from lockstep.snapshot.placement_conflicts import (
    ChecksFail,
    NodesGone,
    NodesNotInPool,
    PlacementConflict,
    StaysTooShort,
    TooLittleRoom,
    WindowClosed,
)


def conflict_sentence(misfit: PlacementConflict) -> str:
    """``n2 has room for 0 of 1 members: cpu is short``."""
    match misfit:
        case NodesGone(nodes=nodes) | NodesNotInPool(nodes=nodes):
            where = "there is" if isinstance(misfit, NodesGone) else "the operator's node pool has"
            return f"{where} no node {listed(nodes)}"
        case ChecksFail(nodes=nodes, check=check):
            return f"its constraints do not hold on {listed(nodes)}: {check}"
        case TermBroken(nodes=nodes):
            return f"on {listed(nodes)}, {_broken(misfit)}"
        case TooLittleRoom(node=node, fit=fit, wanted=wanted, resource=resource):
            return f"{node} has room for {fit} of {wanted} members: {resource} is short"
        case StaysTooShort():
            return _evicting(misfit)
        case WindowClosed():
            return _closed(misfit)
        case _:
            assert_never(misfit)


def _broken(misfit: TermBroken) -> str:
    if misfit.kind is TermKind.APART:
        return f"members that must be apart would share a value of {misfit.topology_key}"
    return f"members would not have those with them that must have the same value of {misfit.topology_key}"


def _evicting(misfit: StaysTooShort) -> str:
    evicts = f"a taint of {misfit.node} evicts members after {duration(misfit.stays_seconds)}"
    return f"{evicts}, and {_ends_in(misfit.needed_seconds)}"


def _closed(misfit: WindowClosed) -> str:
    if not misfit.open_seconds:
        return f"{misfit.node} is not open to gangs now"
    open_for = f"{misfit.node} is open for {duration(misfit.open_seconds)} more only"
    return f"{open_for}, and {_ends_in(misfit.needed_seconds)}"


def _ends_in(seconds: float | None) -> str:
    return "the gang gives no run time" if seconds is None else f"the gang ends in {duration(seconds)}"
