"""What a run that has ended well teaches of later ones: how long it took beside what its spec states."""

import math
from typing import NamedTuple

from lockstep.belief.past_runs import PastRuns, factor_planned_with
from lockstep.belief.reservation import Reservation
from lockstep.facts.gang import GangFact
from lockstep.facts.past_runs import Run, Runs, Template, run_of

# A later attempt may go on from where an earlier one got, whether anybody says so or not.
_WHOLE_ATTEMPT = 1
# After a restart times are known to the second: of shorter runs nothing is learnt.
_SHORTEST_SECONDS = 10.0


class Lesson(NamedTuple):
    """A run that has ended well, of a gang that runs are compared of; it is None where this one can't be."""

    template: Template
    run: Run | None


def lesson_of(gang: GangFact, reservation: Reservation, run_time: float | None) -> Lesson | None:
    """What it teaches that all members have succeeded, after running for ``run_time`` seconds."""
    if gang.spec is None or not gang.spec.run_template:
        return None
    template = Template(gang.key.namespace, gang.spec.run_template)
    return Lesson(template, None if run_time is None else _run(gang, reservation, run_time))


def teach(past_runs: PastRuns, lesson: Lesson | None) -> None:
    """Learn of the run; what can't be compared teaches nothing."""
    if lesson is not None and lesson.run is not None:
        past_runs.learn(lesson.template, lesson.run)


def known_after(past_runs: PastRuns, lesson: Lesson | None) -> Runs:
    """All runs of the template that are known, this one too."""
    return () if lesson is None else past_runs.known_with(*lesson)


def _run(gang: GangFact, reservation: Reservation, run_time: float) -> Run | None:
    stated = _stated_seconds(gang, reservation)
    if stated is None or stated < _SHORTEST_SECONDS or reservation.attempt != _WHOLE_ATTEMPT:
        return None
    seconds = max(0.0, run_time)
    members, idle = _on_idle_nodes(gang, reservation)
    if not 0 < idle < math.inf:
        return run_of(seconds / stated)
    return run_of(seconds / stated, members=members, slowdown=stated / idle, seconds=seconds)


def _stated_seconds(gang: GangFact, reservation: Reservation) -> float | None:
    """What the spec states for the gang's size and nodes: without what was learnt, which would teach itself."""
    if reservation.expected_finish is None:
        return None
    return (reservation.expected_finish - reservation.start) / factor_planned_with(gang.status)


def _on_idle_nodes(gang: GangFact, reservation: Reservation) -> tuple[int, float]:
    """How many members do a part of the work, and the seconds that the spec states for so many; 0 where it does not."""
    if gang.spec is None or gang.spec.work is None:
        return 0, 0.0
    members = gang.spec.working(reservation.members)
    times = gang.spec.work.float_times(members)
    return members, float(times[-1]) if len(times) else 0.0
