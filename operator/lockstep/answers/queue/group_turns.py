"""Shows for ``lockstep queue`` when groups of the FairShare have their turns, and why."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from lockstep.answers.plan.text import wrapped
from lockstep.answers.queue.queue import Queued
from lockstep.facts.fair_share import FairShare
from lockstep.report.text.share_sentences import times_share, use_of_share


class GroupTurn(NamedTuple):
    """A group with ``waiting`` gangs in the queue.

    ``first`` is the position of its first gang; None if none of its gangs has a placement. ``use`` is a clause about
    the resources that the group has used.
    """

    group: str
    waiting: int
    first: int | None
    use: str


def group_turns(queue: Sequence[Queued], fair_share: FairShare) -> list[GroupTurn]:
    """The groups that have gangs in the queue, in the order of their first gangs."""
    used = {} if fair_share.counted is None else fair_share.counted.by_group
    times = times_share(fair_share.groups, {one.name: used.get(one.name, 0.0) for one in fair_share.groups})
    group_of = {namespace: one.name for one in fair_share.groups for namespace in one.namespaces}
    positions: dict[str, list[int | None]] = {}
    for one in queue:
        group = group_of.get(one.gang.namespace, fair_share.groups[-1].name)
        positions.setdefault(group, []).append(one.position)
    # The queue is in the order of positions. Gangs without a position come last.
    return [GroupTurn(group, len(some), some[0], use_of_share(times.get(group))) for group, some in positions.items()]


def turn_lines(turns: Sequence[GroupTurn]) -> Iterator[str]:
    """A sentence for each group."""
    if turns:
        yield ""
    for one in turns:
        first = "" if one.first is None else f", the first at position {one.first}"
        waits = f"{one.waiting} of its gangs {'waits' if one.waiting == 1 else 'wait'}{first}"
        yield from wrapped(f"Group {one.group} {one.use}: {waits}.")


def turn_document(turn: GroupTurn) -> dict[str, Any]:
    """A group's turn as JSON. docs/command-line.md documents every field."""
    return turn._asdict()
