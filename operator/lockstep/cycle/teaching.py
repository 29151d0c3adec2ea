"""What a run that has ended well teaches of later ones: how long it took beside what its spec states."""

import math

from lockstep.belief.past_runs import PastRuns, factor_planned_with
from lockstep.belief.reservation import Reservation
from lockstep.facts.gang import GangFact
from lockstep.facts.past_runs import Run, Template, run_of

# A later attempt may go on from where an earlier one got, whether anybody says so or not.
_WHOLE_ATTEMPT = 1
# After a restart times are known to the second: of shorter runs nothing is learnt.
_SHORTEST_SECONDS = 10.0


def teach(past_runs: PastRuns, gang: GangFact, reservation: Reservation, run_time: float) -> None:
    """All members have succeeded, after running for ``run_time`` seconds; what can't be compared teaches nothing."""
    template, run = _template(gang), run_that_teaches(gang, reservation, run_time)
    if template is not None and run is not None:
        past_runs.learn(template, run)


def run_that_teaches(gang: GangFact, reservation: Reservation, run_time: float) -> Run | None:
    """The run as it is kept; None where it can't be compared with others."""
    stated = _stated_seconds(gang, reservation)
    if stated is None or stated < _SHORTEST_SECONDS or reservation.attempt != _WHOLE_ATTEMPT:
        return None
    seconds = max(0.0, run_time)
    members, idle = _on_idle_nodes(gang, reservation)
    if not 0 < idle < math.inf:
        return run_of(seconds / stated)
    return run_of(seconds / stated, members=members, slowdown=stated / idle, seconds=seconds)


def _template(gang: GangFact) -> Template | None:
    if gang.spec is None or not gang.spec.run_template:
        return None
    return Template(gang.key.namespace, gang.spec.run_template)


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
