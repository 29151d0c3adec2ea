"""Pods that come later, for which room is kept while others run."""

from collections.abc import Sequence
from dataclasses import replace

from coschedule import Sizes
from lockstep.api.pool import Pool
from lockstep.belief.podgangs.own_pods import OwnPods
from lockstep.belief.podgangs.pod_shapes import PodShape, in_pool
from lockstep.belief.podgangs.specs.joined_steps import PodsOfStep, joined
from lockstep.belief.podgangs.specs.pods_spec import role_of_pods, spec_of_pods
from lockstep.facts.gang.gang import GangSpec
from lockstep.facts.gang.pod_gang import PodGangSpec
from lockstep.facts.gang.role import Needs, RoleSpec
from lockstep.facts.pods.pod import NO_POD_AFFINITY


def room_spec(asks: PodGangSpec, pods: OwnPods, pool: Pool) -> GangSpec | None:
    """The spec of a gang that keeps room for the pods that come later, while others run; None if all are there."""
    roles = later_roles(asks, pods, pool, ())
    return replace(spec_of_pods(asks, (), roles, is_beside=True, takes_room=True), is_room=True) if roles else None


def later_roles(asks: PodGangSpec, pods: OwnPods, pool: Pool, beside: Sequence[PodShape]) -> tuple[RoleSpec, ...]:
    """Roles of the pods that are still to come, so that the first step is planned with room for them.

    Pods with equal needs are one role, also if they come in several steps. Steps are joined if, with the pods
    ``beside`` them, they would be too many kinds for a plan.
    """
    is_tied = bool(asks.all_in)
    others = tuple(
        PodsOfStep(0, one.needs, one.members, is_tied or one.needs.pod_affinity != NO_POD_AFFINITY) for one in beside
    )
    return tuple(_later_role(step, pool) for step in joined(_later_steps(asks, pods), others))


def _later_steps(asks: PodGangSpec, pods: OwnPods) -> tuple[PodsOfStep, ...]:
    """The pods that are still to come, by step. Pods with equal needs count in the first of their steps."""
    steps, left = dict[Needs, PodsOfStep](), pods_to_come(asks, pods)
    for number, later in reversed([*enumerate(asks.later)]):
        members = min(later.pods, left)
        left -= members
        if members:
            alike = steps.pop(later.needs, PodsOfStep(number, later.needs, 0))
            steps[later.needs] = PodsOfStep(number, later.needs, alike.pods + members, bool(asks.all_in))
    return tuple(reversed(steps.values()))


def _later_role(step: PodsOfStep, pool: Pool) -> RoleSpec:
    shape = PodShape(f"pods-that-come-later-{step.number}", in_pool(step.needs, pool), step.pods, ())
    return replace(role_of_pods(shape, Sizes(minimum=step.pods, maximum=step.pods)), is_later=True)


def pods_with_room(asks: PodGangSpec, pods: OwnPods) -> int:
    """How many more pods may use the kept room: as many as the Gang has announced. Further pods wait in the queue."""
    if not (asks.later and pods.going):
        return 0
    return max(0, asks.minimum + sum(one.pods for one in asks.later) - pods.going - pods.succeeded)


def pods_to_come(asks: PodGangSpec, pods: OwnPods) -> int:
    """How many pods of later steps do not exist yet, if the existing pods belong to the earliest steps."""
    later = sum(one.pods for one in asks.later)
    there = pods.going + pods.waiting + pods.succeeded
    return max(0, min(later, asks.minimum + later - there))
