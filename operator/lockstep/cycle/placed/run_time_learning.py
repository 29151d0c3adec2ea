"""What a run that has ended well teaches of later ones: how long it took beside what its spec states."""

import math
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from coschedule import Members
from lockstep.belief.holding.reservation import Reservation
from lockstep.belief.run_times.past_runs import PastRuns, factor_planned_with
from lockstep.facts.cluster.node import NodeFact, kind_of_node
from lockstep.facts.gang.gang import GangFact, GangSpec
from lockstep.facts.past_runs import KIND_PATTERN, THOUSAND, PastRun, Runs, Template, run_of
from lockstep.report.metrics.learning_metrics import LearningMetrics

# A later attempt may go on from where an earlier one got, whether anybody says so or not.
_WHOLE_ATTEMPT = 1
# After a restart times are known to the second: of shorter runs nothing is learnt.
_SHORTEST_SECONDS = 10.0
_KIND = re.compile(KIND_PATTERN)


class Lesson(NamedTuple):
    """A run that has ended well, of a gang that runs are compared of; it is None where this one can't be."""

    template: Template
    run: PastRun | None


def lesson_of(
    gang: GangFact, reservation: Reservation, run_time: float | None, nodes: Mapping[str, NodeFact]
) -> Lesson | None:
    """What it teaches that all members have succeeded, after running for ``run_time`` seconds on some of ``nodes``."""
    if gang.spec is None or not gang.spec.run_template:
        return None
    template = Template(gang.key.namespace, gang.spec.run_template)
    return Lesson(template, None if run_time is None else _run(gang, reservation, run_time, nodes))


def teach(past_runs: PastRuns, lesson: Lesson | None) -> None:
    """Learn of the run; what can't be compared teaches nothing."""
    if lesson is not None and lesson.run is not None:
        past_runs.learn(lesson.template, lesson.run)


def note_lesson(metrics: LearningMetrics, gang: GangFact, lesson: Lesson | None, *, gained: int) -> None:
    """Tell the metrics what a run has taught; so many more runs are known now than before it."""
    if lesson is None:
        return
    if lesson.run is None:
        metrics.not_comparable()
        return
    metrics.kept(dropped=1 - gained)
    if gang.status.run_time_factor is not None:
        as_stated = lesson.run.thousandths / THOUSAND
        metrics.predicted(times_as_stated=as_stated, times_as_learned=as_stated / factor_planned_with(gang.status))


def known_after(past_runs: PastRuns, lesson: Lesson | None) -> Runs:
    """All runs of the template that are known, this one too."""
    return () if lesson is None else past_runs.known_with(*lesson)


def _run(gang: GangFact, reservation: Reservation, run_time: float, nodes: Mapping[str, NodeFact]) -> PastRun | None:
    stated = _stated_seconds(gang, reservation)
    if stated is None or stated < _SHORTEST_SECONDS or reservation.attempt != _WHOLE_ATTEMPT:
        return None
    seconds = max(0.0, run_time)
    members, idle = _on_idle_nodes(gang, reservation)
    if not 0 < idle < math.inf:
        return run_of(seconds / stated)
    kind = _kind(gang.spec, reservation.members, nodes)
    return run_of(seconds / stated, members=members, slowdown=stated / idle, seconds=seconds, kind=kind)


def _kind(spec: GangSpec | None, members: Iterable[Members], nodes: Mapping[str, NodeFact]) -> str:
    """The kind of the nodes of all members that did a part of the work; empty where there are several, or none.

    Who was the slowest of members on several kinds depends on what is to be found out.
    """
    working = {entry.node for entry in members if spec is not None and spec.working([entry])}
    kinds = {kind_of_node(nodes.get(node)) for node in working}
    kind = kinds.pop() if len(kinds) == 1 else ""
    return kind if _KIND.fullmatch(kind) else ""


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
