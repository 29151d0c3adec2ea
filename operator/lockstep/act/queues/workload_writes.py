"""Creates and changes the Workload of a GangJob in a queue of Kueue, and deletes a Workload that is no longer needed.

Each write is for the Workload that is read just before, so it can be repeated.
"""

import asyncio
from http import HTTPStatus

from lockstep.act.podgang.check_writes import report_answer
from lockstep.act.requests.services import Services
from lockstep.api.client.answer import Answer, Target
from lockstep.api.client.pauses import pause_after
from lockstep.api.client.turns import Urgency
from lockstep.api.kueue.gang_workload import asks_for, gang_workload, gang_workloads_of, parse_gang_workload
from lockstep.api.kueue.gang_workload_status import QuotaUse, use_patch
from lockstep.api.kueue.workload import workload_at
from lockstep.api.manifest import Manifest
from lockstep.facts.gang.gang import AcceptedGang
from lockstep.facts.gang.workload import GangWorkload

# Kueue writes the same object, so it is read again after each conflict.
_MOST_CONFLICTS = 8


async def make_workload(services: Services, gang: AcceptedGang) -> str:
    """Create the Workload of a gang, unless it exists. Returns why that failed, or ''.

    Raises ``ApiUnavailableError``.
    """
    wanted = _wanted(services, gang)
    answer = await services.client.create(gang_workloads_of(gang.key.namespace), wanted, Urgency.REPORT)
    return "" if answer.is_success or answer.code == HTTPStatus.CONFLICT else answer.message.rstrip(".")


async def delete_workload(services: Services, known: GangWorkload) -> str:
    """Delete a Workload. This gives its quota back. Returns why the deletion failed, or ''.

    Raises ``ApiUnavailableError``.
    """
    target = workload_at(known.gang.namespace, known.name)
    answer = await services.client.delete(target, uid=known.uid, urgency=Urgency.REPORT)
    return "" if answer.is_success or answer.is_absence else answer.message.rstrip(".")


async def write_quota_use(services: Services, gang: AcceptedGang | None, known: GangWorkload, use: QuotaUse) -> str:
    """Write how a gang uses its quota. Returns why that failed, or ''.

    If ``gang`` is given and the Workload has no quota, also write the gang's queue and its numbers of members to the
    Workload. Raises ``ApiUnavailableError``.
    """
    tries = 0
    while True:
        found = await services.client.get(workload_at(known.gang.namespace, known.name))
        if not found.is_success:
            return found.message.rstrip(".")
        answer = await _write(services, gang, found.body, use)
        if answer is None or answer.is_success:
            return ""
        if answer.code != HTTPStatus.CONFLICT or tries >= _MOST_CONFLICTS:
            return answer.message.rstrip(".")
        await asyncio.sleep(pause_after(tries))
        tries += 1


async def _write(services: Services, gang: AcceptedGang | None, workload: Manifest, use: QuotaUse) -> Answer | None:
    """Send one write if any is due: of the status, or else of the spec. Returns the answer; None if none is due."""
    metadata = workload["metadata"]
    target = workload_at(metadata["namespace"], metadata["name"])
    ours = services.state.pod_gangs.workloads.our_checks
    patch = use_patch(workload, use, ours, services.now())
    fact = parse_gang_workload(workload)
    if patch is not None:
        status = Target(f"{target.path}/status", f"{target.resource}/status")
        answer = await services.client.patch(status, patch, Urgency.REPORT)
        if answer.is_success and fact is not None and use.entry is not None and "admissionChecks" in patch["status"]:
            report_answer(services, fact, use.entry)
        return answer
    if gang is None or fact is None or fact.quota_since is not None or asks_for(workload, gang):
        return None
    spec = _wanted(services, gang)["spec"]
    asked = {field: spec[field] for field in ("queueName", "podSets")}
    version = {name: metadata[name] for name in ("uid", "resourceVersion")}
    return await services.client.patch(target, {"metadata": version, "spec": asked}, Urgency.REPORT)


def _wanted(services: Services, gang: AcceptedGang) -> Manifest:
    priorities = services.state.priorities
    return gang_workload(gang, priorities.of(gang) or 0, priorities.name_of(gang))
