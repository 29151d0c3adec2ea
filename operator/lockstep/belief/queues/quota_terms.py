"""What a GangJob in a queue of Kueue may do: a pure function of its Workload."""

from collections.abc import Collection, Mapping
from dataclasses import replace

from coschedule import Sizes
from lockstep.api.gangjob.role import parse_constraints
from lockstep.api.kueue.gang_workload import part_of
from lockstep.api.kueue.workload import in_flavors
from lockstep.belief.podgangs.workloads import may_pass
from lockstep.facts.document import PodTemplate
from lockstep.facts.gang.gang import AcceptedGang, GangFact
from lockstep.facts.gang.role import RoleSpec
from lockstep.facts.gang.workload import Flavor, GangWorkload, Quota


def as_queued(
    gang: GangFact, workload: GangWorkload | None, flavors: Mapping[str, Flavor], ours: Collection[str]
) -> GangFact:
    """The gang as Kueue lets it run: suspended without quota, else with members for which there is quota.

    ``ours`` are the AdmissionChecks of Lockstep. Once they are the last that have not said yes, the gang is planned,
    so that one plan decides about both. A gang that waits for other gangs asks for no quota before.
    """
    if gang.unmet:
        return gang
    if workload is not None and workload.gang_uid != gang.uid:
        workload = None
    why = awaits_quota(gang.policies.queue, workload, flavors, ours)
    queued = replace(gang, policies=replace(gang.policies, is_suspended=bool(why), awaits_quota=why))
    if workload is None or why or not isinstance(queued, AcceptedGang):
        return queued
    roles = tuple(_with_quota(role, workload.quotas.get(part_of(role.name)), flavors) for role in queued.spec.roles)
    return queued.with_spec(replace(queued.spec, roles=roles))


def awaits_quota(
    queue: str, workload: GangWorkload | None, flavors: Mapping[str, Flavor], ours: Collection[str]
) -> str:
    """Why a gang in that queue may not run, as a sentence; '' if it may."""
    if workload is None:
        return f"It waits in the queue {queue} of Kueue, which has no Workload of it yet."
    why = _without_quota(workload) or _not_admitted(workload, flavors, ours)
    return f"Workload {workload.name} in the queue {workload.queue} of Kueue {why}" if why else ""


def _without_quota(workload: GangWorkload) -> str:
    if workload.conditions.is_finished:
        return "is finished: it gets no quota any more."
    if workload.is_off:
        return "is deactivated, or is being deleted."
    if workload.conditions.is_evicted:
        return f"has to give its quota back{_because(workload)}"
    return f"has no quota yet{_because(workload)}" if workload.quota_since is None else ""


def _not_admitted(workload: GangWorkload, flavors: Mapping[str, Flavor], ours: Collection[str]) -> str:
    if not workload.conditions.is_admitted and not may_pass(workload.checks, ours):
        return "has quota, and waits for its AdmissionChecks."
    missing = sorted({name for quota in workload.quotas.values() for name in quota.flavors} - flavors.keys())
    return f"has quota in the ResourceFlavor {missing[0]}, which is not there." if missing else ""


def _because(workload: GangWorkload) -> str:
    return f": {workload.says.rstrip('.')}." if workload.says else "."


def _with_quota(role: RoleSpec, quota: Quota | None, flavors: Mapping[str, Flavor]) -> RoleSpec:
    """The role with sizes and nodes for which there is quota."""
    if quota is None:
        return role
    bounded = replace(role, sizes=_bounded(role.sizes, quota.members))
    terms = [flavors[name].terms.decoded() for name in quota.flavors]
    if not any(one["spec"] for one in terms):
        return bounded
    template = role.template.document.decoded()
    template["spec"] = in_flavors(template["spec"], terms)
    return replace(bounded, template=PodTemplate.of(template), constraints=parse_constraints(template["spec"]))


def _bounded(sizes: Sizes, most: int) -> Sizes:
    """The sizes without those beyond the quota. Kueue gives quota for the least size, or for none."""
    return replace(sizes, maximum=min(sizes.maximum, max(most, sizes.least)))
