"""Writes what our AdmissionChecks say of a Workload, if it still is as it was when that was decided."""

import asyncio
from collections.abc import Collection
from http import HTTPStatus

from lockstep.act.requests.services import Services
from lockstep.api.client.answer import Target
from lockstep.api.client.pauses import pause_after
from lockstep.api.client.turns import Urgency
from lockstep.api.kueue.check_entries import CheckEntry, entries_patch
from lockstep.api.kueue.workload import parse_workload, workload_at, workload_subject
from lockstep.belief.podgangs.workloads import is_pending, says
from lockstep.facts.gang.workload import CheckState, GangWorkload, Workload
from lockstep.report.status.events import quota_given_back

# Kueue writes the same object: it is read anew after each conflict.
_MOST_CONFLICTS = 8


async def write_checks(
    services: Services,
    known: Workload,
    entry: CheckEntry,
    urgency: Urgency = Urgency.ACT,
    *,
    after: CheckState = CheckState.PENDING,
) -> str:
    """Have our checks of a Workload say that; returns why they don't, as a clause, or ''.

    The Workload is read anew before each try. It has to have the spec and the quota of before, and our checks have to
    be in the state ``after`` which that may follow. Kueue evicts it before it takes the quota, and never queues one
    again whose check says ``RETRY`` meanwhile. Raises ``ApiUnavailableError``.
    """
    ours = services.state.pod_gangs.workloads.our_checks
    target, tries = workload_at(known.gang.namespace, known.name), 0
    status = Target(f"{target.path}/status", f"{target.resource}/status")
    while True:
        found = await services.client.get(target)
        if not found.is_success:
            return f"Workload {known.name} can't be read: {found.message.rstrip('.')}"
        settled = _settled(parse_workload(found.body), known, ours, entry.state, after)
        if settled is not None:
            return settled
        patch = entries_patch(found.body, ours, entry, services.now())
        if patch is None:
            return ""
        answer = await services.client.patch(status, patch, urgency)
        if answer.is_success:
            report_answer(services, known, entry)
            return ""
        if answer.code != HTTPStatus.CONFLICT or tries >= _MOST_CONFLICTS:
            return f"Workload {known.name} can't be changed: {answer.message.rstrip('.')}"
        await asyncio.sleep(pause_after(tries))
        tries += 1


def _settled(
    fresh: Workload, known: Workload, ours: Collection[str], wanted: CheckState, after: CheckState
) -> str | None:
    """'' if our checks say so already, a clause if the Workload has changed; None if they are still to be written."""
    is_same = (fresh.uid, fresh.version) == (known.uid, known.version) and fresh.quota_since is not None
    # An earlier request may have had no answer.
    if is_same and wanted is not after and says(fresh, ours, wanted):
        return ""
    if not is_same or not _is_in(fresh, ours, after):
        return f"Workload {known.name} has changed since this decision"
    return None


def report_answer(services: Services, workload: Workload | GangWorkload, entry: CheckEntry) -> None:
    """Post why a Workload gives its quota back: Kueue evicts it, and then says nothing of that in its check."""
    if entry.state is CheckState.RETRY:
        subject = workload_subject(workload.gang.namespace, workload.name, workload.uid)
        services.writer.post_about(subject, quota_given_back(entry.message), of=workload.gang)


def _is_in(workload: Workload, ours: Collection[str], state: CheckState) -> bool:
    return is_pending(workload, ours) if state is CheckState.PENDING else says(workload, ours, state)
