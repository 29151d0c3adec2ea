"""Describes a placement in a sentence with numbers, for conditions, events and commands."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping

from coschedule import Alternative, Members, Placement, Risk, encode_part
from lockstep.api.quantities import rfc3339
from lockstep.facts.gang.keys import is_pod_gang
from lockstep.facts.gang.start_estimate import is_same_time
from lockstep.report.text.sentences import (
    duration,
    member_price,
    n_members,
    n_pieces,
    node_ranges,
    percentage,
    price,
    speedup,
)


def chosen(placement: Placement, *, now: float) -> str:
    """Sentences about a placement: size, nodes, spread of the work, start, speed-up, and the best alternative.

    The last sentence has no full stop.
    """
    # Nodes are chosen when a gang starts. Before that they are only expected.
    where = _who_is_where(placement, "on" if placement.start <= now else "expected on")
    sentences = [", ".join([where, *(_spread(placement) if placement.size > 1 else ())])]
    if placement.start > now:
        awaited = f"The start is expected at {rfc3339(placement.start)}{_awaited(placement)}"
        sentences.append(awaited + _at_the_latest(placement))
    if placement.speedup is not None:
        sentences.append(
            f"The gang's speed-up over one idle reference node is {speedup(placement.speedup)}, including the wait"
        )
    if placement.risk is not None:
        sentences.append(_risk(placement.risk))
    other = _compared(placement, now)
    return ". ".join([*sentences, other] if other else sentences)


def _who_is_where(placement: Placement, on: str) -> str:
    """``8 members on n01…n08``; with roles ``9 members: 1 launcher on n01, 8 workers on n01…n08``.

    For a Gang, the text does not name roles.
    """
    roles = dict.fromkeys(entry.role for entry in placement.members)
    if list(roles) == [""] or is_pod_gang(placement.gang):
        return f"{n_members(placement.size)} {on} {_nodes_of(placement.members)}"
    return f"{n_members(placement.size)}: " + ", ".join(_role_is_where(placement, role, on) for role in roles)


def _role_is_where(placement: Placement, role: str, on: str) -> str:
    members = [entry for entry in placement.members if entry.role == role]
    return f"{sum(entry.count for entry in members)} {role} {on} {_nodes_of(members)}"


def _nodes_of(members: Iterable[Members]) -> str:
    return node_ranges(list(dict.fromkeys(entry.node for entry in members)))


def _awaited(placement: Placement) -> str:
    """A clause about the node that a start waits for; '' if unknown, or if the gang is on one node only."""
    alone = len({entry.node for entry in placement.members}) == 1
    return "" if placement.latest is None or alone else f", when {placement.latest} has room"


def _at_the_latest(placement: Placement) -> str:
    promised = placement.promised
    if promised is None or is_same_time(promised, placement.start):
        return ""
    return f". It is promised for {rfc3339(math.ceil(promised))} at the latest"


def _spread(placement: Placement) -> Iterator[str]:
    """Clauses with the smallest and the largest part of the work of a member, for loads that divide the work.

    The parts are given by role if several roles have parts.
    """
    parts = [(entry.role, encode_part(entry.part)) for entry in placement.members]
    for name, format_spread in _SPREADS.items():
        by_role: dict[str, list[float]] = {}
        for role, part in parts:
            if name in part:
                by_role.setdefault(role, []).append(part[name])
        for role, amounts in by_role.items():
            of_role = f"{role} with " if len(by_role) > 1 else ""
            yield of_role + format_spread(min(amounts), max(amounts))


def _spread_of_shares(least: float, most: float) -> str:
    low, high = percentage(least), percentage(most)
    return f"{low} of the work each" if low == high else f"{low} to {high} of the work each"


def _spread_of_pieces(least: float, most: float) -> str:
    return f"{n_pieces(int(most))} each" if least == most else f"{int(least)} to {n_pieces(int(most))} each"


_SPREADS: Mapping[str, Callable[[float, float], str]] = {"share": _spread_of_shares, "pieces": _spread_of_pieces}


def _risk(risk: Risk) -> str:
    """A sentence about the likelihood that a node owner interrupts the gang, and the average cost of that."""
    alone = "" if risk.of_node == risk.probability else f" ({percentage(risk.of_node)})"
    lost = "some" if math.isinf(risk.lost_seconds) else f"{duration(risk.lost_seconds)} of"
    return (
        f"A node owner comes back before the end with a probability of {percentage(risk.probability)}, "
        f"most likely on {risk.node}{alone}. This costs {lost} work on average"
    )


def _compared(placement: Placement, now: float) -> str:
    """A sentence about the best alternative, and why it was not chosen if it ends sooner; '' if there is no need."""
    other = placement.alternative
    if other is None or _is_as_good(other, placement) or _says_nothing(other, now):
        return ""
    return f"{_instead(other, placement, now)}{_but(other, placement)}"


def _is_as_good(other: Alternative, placement: Placement) -> bool:
    """Whether a reader would see no difference in start and speed-up."""
    if other.start != placement.start or other.speedup is None or placement.speedup is None:
        return False
    return speedup(other.speedup) == speedup(placement.speedup)


def _says_nothing(other: Alternative, now: float) -> bool:
    """Whether there is nothing to compare: the alternative's result is unknown, or the gang would hardly wait."""
    is_unknown = other.speedup is None and math.isinf(other.finish)
    return is_unknown or (other.start > now and not round(other.start - now))


def _instead(other: Alternative, placement: Placement, now: float) -> str:
    """``With 7 members the gang would have a speed-up of 2.2``.

    If the alternative starts later than now, the clause also names the wait. If only the placement starts later than
    now, the clause says that the gang could start now.
    """
    result = _result(other, placement)
    if other.start > now:
        return f"With {n_members(other.size)} the gang would wait {duration(other.start - now)} and {result}"
    if placement.start > now:
        return f"With {n_members(other.size)} the gang could start now and {result}"
    return f"With {n_members(other.size)} the gang would {result}"


def _result(other: Alternative, placement: Placement) -> str:
    """``have a speed-up of 2.2``; without a speed-up, ``end 5 min later than planned, at 2026-11-20T12:10:00Z``."""
    if other.speedup is not None:
        return f"have a speed-up of {speedup(other.speedup)}"
    later = other.finish - placement.finish
    if not math.isfinite(later) or is_same_time(other.finish, placement.finish):
        return f"end at {rfc3339(other.finish)}"
    return f"end {duration(abs(later))} {'later' if later > 0 else 'sooner'} than planned, at {rfc3339(other.finish)}"


def _but(other: Alternative, placement: Placement) -> str:
    """A clause that says why a gang did not get the alternative that ends sooner: its deadline, or the price."""
    if other.finish >= placement.finish:
        return ""
    if placement.deadline is not None:
        return f", but it gets the fewest members that {_in_time(placement.deadline)}"
    if not placement.member_price:
        return ""
    return f", but would take more from other gangs than it gains: {member_price(price(placement.member_price))}"


def _in_time(deadline: float) -> str:
    """The end of a clause about the fewest members with which a gang ends by its deadline.

    If the deadline is inf, there is no time limit, and the text says that the gang can run with these members.
    """
    return "can run" if math.isinf(deadline) else f"end by its deadline, {rfc3339(deadline)}"
