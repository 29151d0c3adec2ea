"""Formats the queue as text and as JSON."""

from collections.abc import Iterator, Sequence
from typing import Any

from coschedule import GangKey
from lockstep.answers.plan.text import wrapped
from lockstep.answers.queue.group_turns import GroupTurn, turn_document
from lockstep.answers.queue.on_nodes import OnNodes
from lockstep.answers.queue.queue import Queued
from lockstep.answers.sweeps.sweep_text import sweep_document
from lockstep.api.preemption import gang_name
from lockstep.api.quantities import rfc3339
from lockstep.facts.runs.sweep_keys import sweep_name
from lockstep.facts.sweeps.sweep import Sweep
from lockstep.report.text.sentences import duration

_WIDEST_NAME = 40
_TIME = 14


def running_lines(running: Sequence[OnNodes], now: float, *, left_out: int = 0) -> Iterator[str]:
    """A table of the gangs that hold nodes, and an empty line; nothing if there are none.

    ``left_out`` is how many more gangs hold nodes.
    """
    if not running:
        return
    names = _width([one.gang for one in running])
    yield f"{'STATE':>8}  {'GANG':<{names}}  {'SIZE':>5}  {'NODES':>5}  {'HELD FOR':>{_TIME}}  {'ENDS IN':>{_TIME}}"
    for one in running:
        row = f"{one.state:>8}  {gang_name(one.gang):<{names}}  {one.size:>5}  {one.nodes:>5}"
        held = duration(max(0.0, now - one.since))
        end = "unknown" if one.finish is None else _span(one.finish, now)
        yield f"{row}  {held:>{_TIME}}  {end:>{_TIME}}"
    if left_out:
        yield f"({left_out} more gangs hold nodes)"
    yield ""


def queue_lines(queue: Sequence[Queued], now: float, namespace: str | None = None) -> Iterator[str]:
    """A heading, and for each gang a row and a sentence that says what the gang waits for.

    ``namespace`` is None if the queue has the gangs of all namespaces.
    """
    if not queue:
        yield "No gang waits." if namespace is None else f"No gang waits in the namespace {namespace}."
        return
    names = _width([one.gang for one in queue])
    yield f"{'POSITION':>8}  {'GANG':<{names}}  {'SIZE':>5}  {'STARTS IN':>{_TIME}}  {'AT THE LATEST':>{_TIME}}"
    for one in queue:
        size, position = (str(number or "-") for number in (one.size, one.position))
        start, latest = _span(one.start, now), _span(one.latest, now)
        name = gang_name(one.gang)
        yield f"{position:>8}  {name:<{names}}  {size:>5}  {start:>{_TIME}}  {latest:>{_TIME}}"
        yield from wrapped(_behind(one), " " * 10)


def _width(gangs: Sequence[GangKey]) -> int:
    """The width of the column with the names of these gangs, in characters."""
    return max(len("GANG"), *(min(len(gang_name(one)), _WIDEST_NAME) for one in gangs))


def _behind(one: Queued) -> str:
    return one.behind if one.sweep is None else f"A run of sweep {sweep_name(one.sweep)}. {one.behind}"


def queue_document(
    queue: Sequence[Queued],
    sweeps: Sequence[Sweep],
    now: float,
    turns: Sequence[GroupTurn] = (),
    running: Sequence[OnNodes] = (),
) -> dict[str, Any]:
    """The queue as JSON. docs/command-line.md documents every field."""
    return {
        "now": rfc3339(now),
        "running": [_running(one) for one in running],
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


def _running(one: OnNodes) -> dict[str, Any]:
    return {
        "gang": one.gang._asdict(),
        "state": str(one.state),
        "size": one.size,
        "nodes": one.nodes,
        "since": rfc3339(one.since),
        "expectedFinish": None if one.finish is None else rfc3339(one.finish),
        "sweep": None if one.sweep is None else sweep_name(one.sweep),
    }


def _span(time: float | None, now: float) -> str:
    if time is None:
        return "-"
    return "now" if time - now < 1 else duration(time - now)
