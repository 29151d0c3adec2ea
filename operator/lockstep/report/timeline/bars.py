"""Gangs over time: one bar for each gang that holds nodes, is planned on nodes, or has a node hold.

At most 500 gangs that ended in the past hour have bars, too.
"""

import heapq
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from coschedule import Decision, GangKey, Members, Placement
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.reasons import Condition
from lockstep.report.timeline.facts import Held, PodsOnNodes, TimelineFacts

_MOST_ENDED = 500


class Stage(StrEnum):
    """The meaning of a bar.

    ``HOLDS`` is a node hold: no gang behind this gang gets these nodes if that would delay this gang. ``OTHERS`` are
    nodes of gangs that the user may not see.
    """

    RESERVED = "reserved"
    PLACED = "placed"
    UNDOING = "undoing"
    PLANNED = "planned"
    HOLDS = "holds"
    ENDED = "ended"
    OTHERS = "others"


class NextNodes(NamedTuple):
    """The number of members by node from the time ``at`` on."""

    at: float
    nodes: Mapping[str, int]

    @property
    def size(self) -> int:
        """The number of members."""
        return sum(self.nodes.values())


class BarPart(NamedTuple):
    """A number of members on one node. If ``start`` or ``finish`` is None, the start or finish of the bar applies."""

    members: int
    start: float | None = None
    finish: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A gang from ``start`` to ``finish``, which is None if unknown. ``nodes`` has the number of members by node.

    ``promised`` is the latest start; None if none is promised. Bars of ``HOLDS`` and ``OTHERS`` have 0 members on each
    node. A bar with ``then`` has a step: ``nodes`` is valid until the step, and the nodes of ``then`` after it.
    """

    gang: GangKey
    stage: Stage
    start: float
    finish: float | None
    nodes: Mapping[str, int]
    promised: float | None = None
    then: NextNodes | None = None

    @property
    def size(self) -> int:
        """The number of members in the bar, before its step."""
        return sum(self.nodes.values())

    def parts(self) -> Iterator[tuple[str, BarPart]]:
        """The nodes and their parts of the bar. A node has two parts if its number of members changes."""
        if self.then is None:
            yield from ((node, BarPart(count)) for node, count in self.nodes.items())
            return
        for node in dict.fromkeys((*self.nodes, *self.then.nodes)):
            before, after = self.nodes.get(node, 0), self.then.nodes.get(node, 0)
            if before == after:
                yield node, BarPart(before)
                continue
            if before:
                yield node, BarPart(before, finish=self.then.at)
            if after:
                yield node, BarPart(after, start=self.then.at)

    def span(self, part: BarPart) -> tuple[float, float | None]:
        """The start and the end of a part of the bar. The end is None if it is unknown."""
        start = self.start if part.start is None else part.start
        return start, self.finish if part.finish is None else part.finish


def bars(facts: TimelineFacts) -> list[Bar]:
    """All bars: first gangs that hold nodes, then plans and node holds, and at the end gangs that have ended."""
    placed = [_held(facts.gangs.get(key), held) for key, held in sorted(facts.held.items())]
    running = [_running(facts.gangs.get(key), key, pods) for key, pods in sorted(facts.running.items())]
    return [*placed, *running, *_decided(facts), *_ended(facts)]


def _held(gang: GangFact | None, held: Held) -> Bar:
    one, step = held.reservation, held.step
    return Bar(
        gang=one.gang,
        stage=_stage(gang),
        start=one.start,
        finish=held.finish,
        nodes=_by_node(held.members),
        then=None if step is None else NextNodes(step.at, _by_node(step.members)),
    )


def _running(gang: GangFact | None, key: GangKey, pods: PodsOnNodes) -> Bar:
    nodes: Counter[str] = Counter()
    for (node, _), count in pods.taken.items():
        nodes[node] += count
    joining = pods.joining
    return Bar(
        gang=key,
        stage=_stage(gang),
        start=pods.start,
        finish=pods.end,
        nodes=nodes,
        then=None if joining is None else NextNodes(joining.start, nodes + Counter(_by_node(joining.members))),
    )


def _stage(gang: GangFact | None) -> Stage:
    """The stage of an attempt. If the gang is gone, its members are being deleted."""
    if gang is None or gang.status.is_being_undone:
        return Stage.UNDOING
    return Stage.PLACED if gang.status.is_true(Condition.PLACED) else Stage.RESERVED


def _ended(facts: TimelineFacts) -> Iterator[Bar]:
    """The gangs that ended last, at most ``_MOST_ENDED``, on the nodes where their members were."""
    found = [gang for gang in facts.gangs.values() if _ended_since(gang, facts.ended_since) and gang.status.members]
    for gang in heapq.nlargest(_MOST_ENDED, found, key=_finish):
        start = gang.status.started_at if gang.status.start is None else gang.status.start
        if start is not None:
            nodes = _by_node(gang.status.members)
            yield Bar(gang=gang.key, stage=Stage.ENDED, start=start, finish=_finish(gang), nodes=nodes)


def _ended_since(gang: GangFact, since: float) -> bool:
    return gang.status.end is not None and _finish(gang) >= since


def _finish(gang: GangFact) -> float:
    return -math.inf if gang.status.finished_at is None else gang.status.finished_at


def _decided(facts: TimelineFacts) -> Iterator[Bar]:
    """The plans for gangs that still wait."""
    for decision in facts.decisions:
        if facts.waits(decision.gang):
            yield from _planned(decision)


def _planned(decision: Decision) -> Iterator[Bar]:
    if isinstance(decision, Placement):
        yield Bar(
            gang=decision.gang,
            stage=Stage.PLANNED,
            start=decision.start,
            finish=None if math.isinf(decision.finish) else decision.finish,
            nodes=_by_node(decision.members),
            promised=decision.promised,
        )
    elif decision.hold is not None:
        nodes = dict.fromkeys(decision.hold.nodes, 0)
        yield Bar(gang=decision.gang, stage=Stage.HOLDS, start=decision.hold.start, finish=None, nodes=nodes)


def _by_node(members: Iterable[Members]) -> Mapping[str, int]:
    counts: Counter[str] = Counter()
    for entry in members:
        counts[entry.node] += entry.count
    return counts
