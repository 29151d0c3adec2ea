"""Nodes as rows, ordered by speed. Nodes with the same offer and the same bars share a row."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lockstep.report.text.unschedulable import why_closed
from lockstep.report.timeline.bars import Bar, BarPart
from lockstep.report.timeline.facts import TimelineFacts
from lockstep.report.timeline.lanes import lanes


class BarInRow(NamedTuple):
    """A bar in a row, or a part of one: its number in the list of bars, its lane, and the part."""

    bar: int
    lane: int
    part: BarPart


_Inside = tuple[int, BarPart]


class RowOffer(NamedTuple):
    """The offer that the nodes of a row have in common: members run at ``speed``, between ``opens`` and ``closes``.

    ``why_closed`` says why the nodes take no members now; '' if they do.
    """

    speed: float
    opens: float | None
    closes: float | None
    why_closed: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Nodes with the same offer and the same bars."""

    nodes: tuple[str, ...]
    offer: RowOffer
    entries: tuple[BarInRow, ...]


def rows(facts: TimelineFacts, bars: Sequence[Bar]) -> list[Row]:
    """All rows: the fastest nodes first, then by name. Nodes outside the pool are shown if gangs are on them."""
    on_node = _on_node(bars)
    pool = {name for name, node in facts.nodes.items() if facts.pool.has(node.labels)}
    alike: dict[tuple[RowOffer, tuple[_Inside, ...]], list[str]] = defaultdict(list)
    for name in sorted(pool | on_node.keys()):
        alike[_offer(facts, name), tuple(on_node.get(name, ()))].append(name)
    found = [_row(names, offer, inside, bars) for (offer, inside), names in alike.items()]
    return sorted(found, key=lambda row: (-row.offer.speed, row.nodes))


def _on_node(bars: Iterable[Bar]) -> Mapping[str, list[_Inside]]:
    """For each node, the number of each bar and the part of the bar on this node."""
    found: dict[str, list[_Inside]] = defaultdict(list)
    for number, bar in enumerate(bars):
        for node, part in bar.parts():
            found[node].append((number, part))
    return found


def _row(names: Iterable[str], offer: RowOffer, inside: Sequence[_Inside], bars: Sequence[Bar]) -> Row:
    chosen = lanes([bars[number].span(part) for number, part in inside])
    entries = (BarInRow(number, lane, part) for (number, part), lane in zip(inside, chosen, strict=True))
    return Row(nodes=tuple(names), offer=offer, entries=tuple(entries))


def _offer(facts: TimelineFacts, name: str) -> RowOffer:
    bid, opens = facts.bids.get(name), facts.opens.get(name)
    why = why_closed(facts.nodes.get(name), bid, facts.pool)
    if bid is None:
        return RowOffer(1.0, opens, None, why)
    return RowOffer(_rounded(1 / bid.slowdown), opens, bid.available_until, why)


def _rounded(speed: float) -> float:
    """The speed with two significant digits, which is enough to distinguish kinds of nodes."""
    return float(f"{speed:.2g}")
