"""Writes what our AdmissionChecks say of a Workload, if it still is as it was when that was decided."""

import asyncio
from collections.abc import Callable
from http import HTTPStatus

from lockstep.act.requests.services import Services
from lockstep.api.client.answer import Target
from lockstep.api.client.pauses import pause_after
from lockstep.api.client.turns import Urgency
from lockstep.api.kueue.check_entries import CheckEntry, entries_patch
from lockstep.api.kueue.workload import parse_workload, workload_at
from lockstep.belief.podgangs.workloads import is_pending, says
from lockstep.facts.gang.workload import CheckState, Workload

# Kueue writes the same object: it is read anew after each conflict.
_MOST_CONFLICTS = 8


async def write_checks(services: Services, known: Workload, entry: CheckEntry, urgency: Urgency = Urgency.ACT) -> str:
    """Have our checks of a Workload say that; returns why they don't, as a clause, or ''.

    The Workload is read anew before each try, and has to have the spec, the quota and the answer of before. Raises
    ``ApiUnavailableError``.
    """
    ours = services.state.pod_gangs.workloads.our_checks
    target = workload_at(known.gang.namespace, known.name)
    tries = 0
    while True:
        found = await services.client.get(target)
        if not found.is_success:
            return f"Workload {known.name} can't be read: {found.message.rstrip('.')}"
        fresh = parse_workload(found.body)
        if says(fresh, ours, entry.state) and fresh.uid == known.uid and entry.state is not CheckState.PENDING:
            return ""
        if (fresh.uid, fresh.version) != (known.uid, known.version) or not _may_follow(entry.state)(fresh, ours):
            return f"Workload {known.name} has changed since that was decided"
        patch = entries_patch(found.body, ours, entry, services.now())
        if patch is None:
            return ""
        status = Target(f"{target.path}/status", f"{target.resource}/status")
        answer = await services.client.patch(status, patch, urgency)
        if answer.code != HTTPStatus.CONFLICT or tries >= _MOST_CONFLICTS:
            return "" if answer.is_success else f"Workload {known.name} can't be changed: {answer.message.rstrip('.')}"
        await asyncio.sleep(pause_after(tries))
        tries += 1


def _may_follow(state: CheckState) -> Callable[..., bool]:
    """Whether that may be said of a Workload: first an answer is given, and only a yes is taken back."""
    if state is CheckState.RETRY:
        return lambda workload, ours: is_pending(workload, ours) or says(workload, ours, CheckState.READY)
    return is_pending
