"""Answers ``plan`` about a sweep of the file: the size of its runs, how many start now, and when it would end."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from coschedule import GangKey
from lockstep.answers.plan.text import wrapped
from lockstep.answers.reading.gang_called import gang_called
from lockstep.answers.supposing.supposed_sweeps import RefusedSweep, SupposedSweep
from lockstep.answers.sweeps.explained_text import side_by_side, size_document
from lockstep.api.quantities import rfc3339
from lockstep.facts.runs.sweep_keys import sweep_name


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedSweep:
    """A planned sweep of a file. ``starting_now`` of its first runs start now.

    ``start`` is when the first run starts; None if no run has a placement. ``finish`` is the earliest time at which all
    runs have ended; None if it is unknown.
    """

    supposed: SupposedSweep
    starting_now: int
    start: float | None
    finish: float | None


def planned_sweep(supposed: SupposedSweep, starts: Mapping[GangKey, float], now: float) -> PlannedSweep:
    """The answer about a sweep; ``starts`` has the start of each planned gang."""
    own = [one for key in supposed.first if (one := starts.get(key, math.inf)) < math.inf]
    start, seconds = min(own, default=None), supposed.size.seconds
    finish = None if start is None or seconds is None else max(now, start) + seconds
    return PlannedSweep(supposed=supposed, starting_now=sum(one <= now for one in own), start=start, finish=finish)


def sweep_plan_lines(answer: PlannedSweep | RefusedSweep) -> Iterator[str]:
    """The answer as text."""
    if isinstance(answer, RefusedSweep):
        yield from wrapped(f"{gang_called(answer.sweep.key)} would be refused: {answer.refusal.message}")
        return
    found = answer.supposed
    yield from wrapped(f"{gang_called(found.sweep.key)} has {found.runs} runs. {found.size.reason}")
    yield from wrapped(side_by_side(found.size, found.sweep.spec, found.runs), "  ")
    yield from wrapped(_starts(answer), "  ")
    if answer.finish is not None:
        yield from wrapped(
            f"It would end at {rfc3339(answer.finish)}, if no other gangs take its nodes until then.", "  "
        )


def sweep_plan_document(answer: PlannedSweep | RefusedSweep) -> dict[str, Any]:
    """The answer as JSON."""
    if isinstance(answer, RefusedSweep):
        return {"sweep": _named(answer.sweep.key), "refused": answer.refusal.message}
    found = answer.supposed
    return {
        "sweep": _named(found.sweep.key),
        "runs": found.runs,
        "size": size_document(found.size),
        "planned": len(found.first),
        "startNow": answer.starting_now,
        "start": None if answer.start is None else rfc3339(answer.start),
        "finish": None if answer.finish is None else rfc3339(answer.finish),
    }


def _starts(answer: PlannedSweep) -> str:
    planned = len(answer.supposed.first)
    if answer.supposed.sweep.spec.is_suspended:
        return "It is suspended, so no run is created before it is resumed. This plan assumes that it is resumed."
    if answer.start is None:
        none = f"None of its first {planned} runs has a" if planned > 1 else "Its first run has no"
        return f"{none} place now. Once they exist, lockstep explain says what they wait for."
    if answer.starting_now:
        of_first = f"{answer.starting_now} of its first {planned} runs" if planned > 1 else "Its first run"
        return f"{of_first} would start now."
    return f"Its first run would start at {rfc3339(answer.start)}."


def _named(key: GangKey) -> dict[str, str]:
    return {"namespace": key.namespace, "name": sweep_name(key)}
