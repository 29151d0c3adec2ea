"""The bars that users of one namespace see: their own bars, and for other gangs only which places are occupied.

Bars of others that overlap on a node are merged, so that they neither name nor count gangs. Their times are coarse.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence

from coschedule import GangKey
from lockstep.facts.gang.keys import ANOTHERS
from lockstep.report.timeline.bars import Bar, Stage
from lockstep.report.timeline.lanes import Span

_STEP_SECONDS = 300.0
_HOLDING = (Stage.RESERVED, Stage.PLACED, Stage.UNDOING)


def as_seen(bars: Sequence[Bar], sees: Callable[[GangKey], bool]) -> list[Bar]:
    """The bars that ``sees`` allows, and one bar for each span of time in which others hold nodes."""
    others = (bar for bar in bars if not sees(bar.gang) and bar.stage in _HOLDING)
    return [*(bar for bar in bars if sees(bar.gang)), *_occupied(others)]


def _occupied(bars: Iterable[Bar]) -> Iterator[Bar]:
    on_node: dict[str, list[Span]] = defaultdict(list)
    for bar in bars:
        for node, part in bar.parts():
            on_node[node].append(_coarse(bar.span(part)))
    by_span: dict[Span, dict[str, int]] = defaultdict(dict)
    for node, spans in on_node.items():
        for span in _merged(spans):
            by_span[span][node] = 0
    for (start, finish), nodes in by_span.items():
        yield Bar(gang=ANOTHERS, stage=Stage.OTHERS, start=start, finish=finish, nodes=nodes)


def _coarse(span: Span) -> Span:
    start, finish = span
    begin = math.floor(start / _STEP_SECONDS) * _STEP_SECONDS
    return begin, None if finish is None else math.ceil(finish / _STEP_SECONDS) * _STEP_SECONDS


def _merged(spans: list[Span]) -> list[Span]:
    """Merge spans that touch or overlap. A span of unknown end includes all later spans."""
    merged: list[Span] = []
    for start, finish in sorted(spans, key=lambda span: span[0]):
        last = merged[-1] if merged else None
        if last is None or (last[1] is not None and last[1] < start):
            merged.append((start, finish))
        elif last[1] is not None:
            merged[-1] = (last[0], None if finish is None else max(last[1], finish))
    return merged
