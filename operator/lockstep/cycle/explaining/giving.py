"""Gangs that give up seats, now or with the newest plan."""

from collections import Counter
from collections.abc import Iterator

from lockstep.belief.state import State
from lockstep.cycle.planning.decided import LastPlan
from lockstep.snapshot.holders.seats_given_up import Giving, changing_gangs


def giving_gangs(state: State, decided: LastPlan) -> list[Giving]:
    """The gangs whose change of size is decided or has begun, and the gangs whose size the plan changes."""
    return [*changing_gangs(state, decided.snapshot.now), *_about_to_change(decided)]


def _about_to_change(decided: LastPlan) -> Iterator[Giving]:
    runs, names = {run.key: run for run in decided.seen.elastic.runs}, decided.snapshot.nodes.names
    for change in decided.changes:
        run = runs[change.gang]
        left = Counter(run.nodes) - Counter(change.nodes)
        yield Giving(run.key, frozenset(names[node] for node in left), decided.snapshot.now + run.grace)
