"""Limits of a GangJob in a queue of Kueue: pure functions of its Workload."""

from collections.abc import Collection, Mapping
from dataclasses import replace

from coschedule import Sizes
from lockstep.api.gangjob.role import parse_constraints
from lockstep.api.kueue.gang_workload import pod_set_of
from lockstep.api.kueue.workload import in_flavors
from lockstep.belief.podgangs.workloads import may_pass
from lockstep.facts.document import PodTemplate
from lockstep.facts.gang.gang import GangSpec
from lockstep.facts.gang.role import RoleSpec
from lockstep.facts.gang.workload import Flavor, GangWorkload, Quota


def awaits_quota(queue: str, workload: GangWorkload | None, ours: Collection[str]) -> str:
    """Why a gang in that queue may not run, as a sentence; '' if it may.

    ``ours`` are the AdmissionChecks of Lockstep. If only these checks are not ready yet, the gang may be planned: the
    same plan decides about the gang and the checks.
    """
    if workload is None:
        return f"It waits in the queue {queue} of Kueue, which has no Workload for it yet."
    why = _without_quota(workload, ours)
    return f"{_called(workload)} {why}" if why else ""


def awaits_flavor(workload: GangWorkload | None, flavors: Mapping[str, Flavor]) -> str:
    """Why a gang with quota may not start, as a sentence; '' if it may. Without its flavors, its nodes are unknown."""
    if workload is None:
        return ""
    missing = sorted({name for quota in workload.quotas.values() for name in quota.flavors} - flavors.keys())
    return f"{_called(workload)} has quota in the ResourceFlavor {missing[0]}, which does not exist." if missing else ""


def with_quota(spec: GangSpec, quotas: Mapping[str, Quota], flavors: Mapping[str, Flavor]) -> GangSpec:
    """The spec with only the sizes and the nodes for which there is quota. Unknown flavors do not limit the nodes."""
    roles = (_with_quota(role, quotas.get(pod_set_of(role.name)), flavors) for role in spec.roles)
    return replace(spec, roles=tuple(roles))


def _called(workload: GangWorkload) -> str:
    return f"Workload {workload.name} in the queue {workload.queue} of Kueue"


def _without_quota(workload: GangWorkload, ours: Collection[str]) -> str:
    if workload.conditions.is_finished:
        return "is finished: it gets no quota any more."
    if workload.is_off:
        return "is deactivated, or is being deleted."
    if workload.conditions.is_evicted:
        return f"has to give its quota back{_because(workload)}"
    if workload.quota_since is None:
        return f"has no quota yet{_because(workload)}"
    may_run = workload.conditions.is_admitted or may_pass(workload.checks, ours)
    return "" if may_run else "has quota, and waits for its AdmissionChecks."


def _because(workload: GangWorkload) -> str:
    return f": {workload.says.rstrip('.')}." if workload.says else "."


def _with_quota(role: RoleSpec, quota: Quota | None, flavors: Mapping[str, Flavor]) -> RoleSpec:
    """The role with only the sizes and the nodes for which there is quota."""
    if quota is None:
        return role
    bounded = replace(role, sizes=_bounded(role.sizes, quota.members))
    terms = [flavors[name].terms.decoded() for name in quota.flavors if name in flavors]
    if not any(one["spec"] for one in terms):
        return bounded
    template = role.template.document.decoded()
    template["spec"] = in_flavors(template["spec"], terms)
    return replace(bounded, template=PodTemplate.of(template), constraints=parse_constraints(template["spec"]))


def _bounded(sizes: Sizes, most: int) -> Sizes:
    """The sizes up to the quota, and always the smallest size: Kueue gives quota for that size, or no quota."""
    return replace(sizes, maximum=min(sizes.maximum, max(most, sizes.least)))
