"""Describes in a clause, with names and numbers, why a reservation can't be carried out."""

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


def conflict_sentence(conflict: PlacementConflict) -> str:
    """``n2 has room for 0 of 1 members: it is short of cpu``."""
    match conflict:
        case NodesGone(nodes=nodes) | NodesNotInPool(nodes=nodes):
            where = "there is" if isinstance(conflict, NodesGone) else "the operator's node pool has"
            return f"{where} no node {listed(nodes)}"
        case ChecksFail(nodes=nodes, check=check):
            return f"its constraints do not hold on {listed(nodes)}: {check}"
        case TermBroken(nodes=nodes):
            return f"on {listed(nodes)}, {_broken(conflict)}"
        case TooLittleRoom(node=node, fit=fit, wanted=wanted, resource=resource):
            return f"{node} has room for {fit} of {wanted} members: it is short of {resource}"
        case StaysTooShort():
            return _evicting(conflict)
        case WindowClosed():
            return _closed(conflict)
        case _:
            assert_never(conflict)


def _broken(conflict: TermBroken) -> str:
    if conflict.kind is TermKind.APART:
        return f"members that must be apart would share a value of {conflict.topology_key}"
    return f"members would not share a value of {conflict.topology_key} with the pods that they require"


def _evicting(conflict: StaysTooShort) -> str:
    evicts = f"a taint of {conflict.node} evicts members after {duration(conflict.stays_seconds)}"
    return f"{evicts}, and {_ends_in(conflict.needed_seconds)}"


def _closed(conflict: WindowClosed) -> str:
    if not conflict.open_seconds:
        return f"{conflict.node} is not open to gangs now"
    open_for = f"{conflict.node} is open for only {duration(conflict.open_seconds)} more"
    return f"{open_for}, and {_ends_in(conflict.needed_seconds)}"


def _ends_in(seconds: float | None) -> str:
    return "the gang states no run time" if seconds is None else f"the gang ends in {duration(seconds)}"
