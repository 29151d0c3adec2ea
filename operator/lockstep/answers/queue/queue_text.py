"""The queue as text and as JSON."""

from collections.abc import Iterator, Sequence
from typing import Any

from lockstep.answers.plan.text import wrapped
from lockstep.answers.queue.group_turns import GroupTurn, turn_document
from lockstep.answers.queue.queue import Queued
from lockstep.answers.sweeps.sweep_text import sweep_document
from lockstep.api.preemption import gang_name
from lockstep.api.quantities import rfc3339
from lockstep.facts.runs.sweep_keys import sweep_name
from lockstep.facts.sweeps.sweep import Sweep
from lockstep.report.text.sentences import duration

_WIDEST_NAME = 40
_TIME = 14


def queue_lines(queue: Sequence[Queued], now: float) -> Iterator[str]:
    """A heading and, for each gang, a row and the sentence on what it waits for."""
    if not queue:
        yield "No gang waits."
        return
    names = max(len("GANG"), *(min(len(gang_name(one.gang)), _WIDEST_NAME) for one in queue))
    yield f"{'POSITION':>8}  {'GANG':<{names}}  {'SIZE':>5}  {'STARTS IN':>{_TIME}}  {'AT THE LATEST':>{_TIME}}"
    for one in queue:
        size, position = (str(number or "-") for number in (one.size, one.position))
        start, latest = _span(one.start, now), _span(one.latest, now)
        name = gang_name(one.gang)
        yield f"{position:>8}  {name:<{names}}  {size:>5}  {start:>{_TIME}}  {latest:>{_TIME}}"
        yield from wrapped(_behind(one), " " * 10)


def _behind(one: Queued) -> str:
    return one.behind if one.sweep is None else f"A run of sweep {sweep_name(one.sweep)}. {one.behind}"


def queue_document(
    queue: Sequence[Queued], sweeps: Sequence[Sweep], now: float, turns: Sequence[GroupTurn] = ()
) -> dict[str, Any]:
    """The queue as JSON. docs/command-line.md documents every field."""
    return {
        "now": rfc3339(now),
        "gangs": [
            {
                "gang": one.gang._asdict(),
                "position": one.position,
                "size": one.size,
                "start": None if one.start is None else rfc3339(one.start),
                "latestStart": None if one.latest is None else rfc3339(one.latest),
                "behind": one.behind,
                "sweep": None if one.sweep is None else sweep_name(one.sweep),
            }
            for one in queue
        ],
        "groups": [turn_document(one) for one in turns],
        "sweeps": [sweep_document(one) for one in sweeps],
    }


def _span(time: float | None, now: float) -> str:
    if time is None:
        return "-"
    return "now" if time - now < 1 else duration(time - now)
