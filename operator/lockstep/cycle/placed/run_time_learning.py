"""What is learned from a successful run: its time compared with the time that its spec states."""

import math
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from coschedule import Members
from lockstep.belief.holding.reservation import Reservation
from lockstep.belief.run_times.past_runs import PastRuns, factor_planned_with
from lockstep.facts.cluster.node import NodeFact, kind_of_node
from lockstep.facts.gang.gang import AcceptedGang, GangFact, GangSpec
from lockstep.facts.past_runs import KIND_PATTERN, THOUSAND, PastRun, Runs, Template, run_of
from lockstep.report.metrics.learning_metrics import LearningMetrics

# Later attempts may continue the work of an earlier one. So only first attempts that kept their size are compared.
_WHOLE_ATTEMPT = 1
# After a restart of the operator, times are exact to the second only. So shorter runs are not compared.
_SHORTEST_SECONDS = 10.0
_KIND = re.compile(KIND_PATTERN)


class RunObservation(NamedTuple):
    """A successful run and its template. ``run`` is None if the run can't be compared."""

    template: Template
    run: PastRun | None


def observation_of(
    gang: GangFact, reservation: Reservation, run_time: float | None, nodes: Mapping[str, NodeFact]
) -> RunObservation | None:
    """The observation from a gang that has succeeded after ``run_time`` seconds; None if it has no run template."""
    if not isinstance(gang, AcceptedGang) or not gang.spec.run_template:
        return None
    template = Template(gang.key.namespace, gang.spec.run_template)
    return RunObservation(template, None if run_time is None else _run(gang, reservation, run_time, nodes))


def learn_from(past_runs: PastRuns, observation: RunObservation | None) -> None:
    """Learn from the run, if it can be compared."""
    if observation is not None and observation.run is not None:
        past_runs.learn(observation.template, observation.run)


def record_observation(
    metrics: LearningMetrics, gang: GangFact, observation: RunObservation | None, *, gained: int
) -> None:
    """Count the observation in the metrics. ``gained`` is the number of runs by which the known runs have grown."""
    if observation is None:
        return
    if observation.run is None:
        metrics.not_comparable()
        return
    metrics.kept(dropped=1 - gained)
    if gang.status.run_time_factor is not None:
        as_stated = observation.run.thousandths / THOUSAND
        metrics.predicted(times_as_stated=as_stated, times_as_learned=as_stated / factor_planned_with(gang.status))


def known_after(past_runs: PastRuns, observation: RunObservation | None) -> Runs:
    """All known runs of the template, including this one; empty without an observation."""
    return () if observation is None else past_runs.known_with(*observation)


def _run(
    gang: AcceptedGang, reservation: Reservation, run_time: float, nodes: Mapping[str, NodeFact]
) -> PastRun | None:
    stated = _stated_seconds(gang, reservation)
    is_whole = reservation.attempt == _WHOLE_ATTEMPT and not gang.status.member_changes
    if stated is None or stated < _SHORTEST_SECONDS or not is_whole:
        return None
    seconds = max(0.0, run_time)
    members, idle = _on_idle_nodes(gang, reservation)
    if not 0 < idle < math.inf:
        return run_of(seconds / stated)
    kind = _kind(gang.spec, reservation.members, nodes)
    return run_of(seconds / stated, members=members, slowdown=stated / idle, seconds=seconds, kind=kind)


def _kind(spec: GangSpec, members: Iterable[Members], nodes: Mapping[str, NodeFact]) -> str:
    """The kind of the nodes of all members with work; empty if there are several kinds or none.

    On several kinds, the slowest member depends on the speeds that are to be learned.
    """
    working = {entry.node for entry in members if spec.working([entry])}
    kinds = {kind_of_node(nodes.get(node)) for node in working}
    kind = kinds.pop() if len(kinds) == 1 else ""
    return kind if _KIND.fullmatch(kind) else ""


def _stated_seconds(gang: GangFact, reservation: Reservation) -> float | None:
    """The seconds that the spec states for the gang's size and nodes.

    Learned factors are left out: they must not feed back.
    """
    if reservation.expected_finish is None:
        return None
    return (reservation.expected_finish - reservation.start) / factor_planned_with(gang.status)


def _on_idle_nodes(gang: AcceptedGang, reservation: Reservation) -> tuple[int, float]:
    """The number of members with work, and the seconds that the spec states for this number; 0 if unknown."""
    if gang.spec.work is None:
        return 0, 0.0
    members = gang.spec.working(reservation.members)
    times = gang.spec.work.float_times(members)
    return members, float(times[-1]) if len(times) else 0.0
