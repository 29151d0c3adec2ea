"""The spec of pods that run, and whose number may change."""

from dataclasses import replace

from coschedule import Sizes
from lockstep.api.pool import Pool
from lockstep.belief.podgangs.elastic_owners import RunningPods
from lockstep.belief.podgangs.own_pods import PodsAlike
from lockstep.belief.podgangs.pod_shapes import PodShape, in_pool, role_name
from lockstep.belief.podgangs.pods_by_role import NO_ROLE
from lockstep.belief.podgangs.specs.pods_spec import role_of_pods, spec_of_pods
from lockstep.facts.gang.gang import GangSpec, Refusal
from lockstep.facts.gang.pod_gang import PodGangSpec
from lockstep.facts.gang.role import RoleSpec
from lockstep.facts.gang.sized_owner import ElasticPods

_FIXED = "fixed"


def running_spec(
    asks: PodGangSpec, pods: RunningPods, sizes: Sizes, elastic: ElasticPods, pool: Pool
) -> GangSpec | None:
    """The spec of pods that run, and whose number may change; None if they can't be planned.

    The first role has the pods that may come and go. The other pods are a second role, even if their needs are equal.
    """
    parts, fixed = [(pods.varying, NO_ROLE)], elastic.fixed
    if pods.fixed is not None:
        parts.append((pods.fixed, _FIXED))
    varying = Sizes(minimum=max(1, sizes.minimum - fixed), maximum=sizes.maximum - fixed)
    of_parts = (varying, Sizes(minimum=fixed, maximum=fixed)) if fixed else (varying,)
    roles = [_running_role(one, role, each, pool) for (one, role), each in zip(parts, of_parts, strict=True)]
    able = tuple(role for role in roles if role is not None)
    if len(able) < len(roles):
        return None
    content = spec_of_pods(asks, [one.kind for one, _ in parts], able, is_beside=False, takes_room=False)
    return replace(content, has_bound_pods=True, elastic=elastic.spec)


def _running_role(pods: PodsAlike, role: str, sizes: Sizes, pool: Pool) -> RoleSpec | None:
    name, needs = role_name(pods.kind, pool, role), pods.kind.needs
    if name is None or isinstance(needs, Refusal):
        return None
    return role_of_pods(PodShape(name, in_pool(needs, pool), 0, pods.kind.selected), sizes)
