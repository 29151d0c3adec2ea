"""The queue as text and as JSON."""

from collections.abc import Iterator, Sequence
from typing import Any

from lockstep.answers.plan.text import wrapped
from lockstep.answers.queue.queue import Queued
from lockstep.api.preemption import gang_name
from lockstep.api.quantities import rfc3339
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
        yield from wrapped(one.behind, " " * 10)


def queue_document(queue: Sequence[Queued], now: float) -> dict[str, Any]:
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
            }
            for one in queue
        ],
    }


def _span(time: float | None, now: float) -> str:
    if time is None:
        return "-"
    return "now" if time - now < 1 else duration(time - now)
