"""What a run that has ended well teaches of later ones: how long it took beside what its spec states."""

from lockstep.belief.past_runs import PastRuns, factor_planned_with
from lockstep.belief.reservation import Reservation
from lockstep.facts.gang import GangFact
from lockstep.facts.past_runs import Template

# A later attempt may go on from where an earlier one got, whether anybody says so or not.
_WHOLE_ATTEMPT = 1
# After a restart times are known to the second: of shorter runs nothing is learnt.
_SHORTEST_SECONDS = 10.0


def teach(past_runs: PastRuns, gang: GangFact, reservation: Reservation, run_time: float) -> None:
    """All members have succeeded, after running for ``run_time`` seconds; what can't be compared teaches nothing."""
    stated = _stated_seconds(gang, reservation)
    if gang.spec is None or not gang.spec.run_template or stated is None or stated < _SHORTEST_SECONDS:
        return
    if reservation.attempt == _WHOLE_ATTEMPT:
        past_runs.learn(Template(gang.key.namespace, gang.spec.run_template), max(0.0, run_time) / stated)


def _stated_seconds(gang: GangFact, reservation: Reservation) -> float | None:
    """What the spec states for the gang's size and nodes: without what was learnt, which would teach itself."""
    if reservation.expected_finish is None:
        return None
    return (reservation.expected_finish - reservation.start) / factor_planned_with(gang.status)
