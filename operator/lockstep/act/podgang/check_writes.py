"""Writes what our AdmissionChecks say of a Workload, unless the Workload has changed since the decision."""

import asyncio
from collections.abc import Collection
from http import HTTPStatus
from typing import NamedTuple

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


class _CheckWrite(NamedTuple):
    """The ``entry`` for our checks of the Workload ``known``.

    It is written only if the checks are still in the state ``after``.
    """

    known: Workload
    entry: CheckEntry
    after: CheckState
    urgency: Urgency


async def write_checks(
    services: Services,
    known: Workload,
    entry: CheckEntry,
    urgency: Urgency = Urgency.ACT,
    *,
    after: CheckState = CheckState.PENDING,
) -> str:
    """Write ``entry`` to our checks of a Workload. Returns why that is not done, as a clause; '' if it is done.

    The Workload is read anew before each try. Its spec and its quota must be unchanged. Our checks must be in the
    state ``after``, because the entry may follow only this state. When Kueue evicts a Workload, it resets the
    checks first, and takes the quota back later. If a check says ``RETRY`` in between, Kueue never queues the Workload
    again. Raises ``ApiUnavailableError``.
    """
    wanted = _CheckWrite(known, entry, after, urgency)
    conflicts = 0
    while (why_not := await _write_once(services, wanted, is_last=conflicts >= _MOST_CONFLICTS)) is None:
        await asyncio.sleep(pause_after(conflicts))
        conflicts += 1
    return why_not


async def _write_once(services: Services, wanted: _CheckWrite, *, is_last: bool) -> str | None:
    """Read the Workload and write our checks. Returns None after a conflict, unless this is the last try."""
    ours, known = services.state.pod_gangs.workloads.our_checks, wanted.known
    target = workload_at(known.gang.namespace, known.name)
    found = await services.client.get(target)
    if not found.is_success:
        return f"Workload {known.name} can't be read: {found.message.rstrip('.')}"
    result = _result_without_write(parse_workload(found.body), known, ours, wanted.entry.state, wanted.after)
    if result is not None:
        return result
    patch = entries_patch(found.body, ours, wanted.entry, services.now())
    if patch is None:
        return ""
    status = Target(f"{target.path}/status", f"{target.resource}/status")
    answer = await services.client.patch(status, patch, wanted.urgency)
    if answer.is_success:
        report_answer(services, known, wanted.entry)
        return ""
    if answer.code == HTTPStatus.CONFLICT and not is_last:
        return None
    return f"Workload {known.name} can't be changed: {answer.message.rstrip('.')}"


def _result_without_write(
    fresh: Workload, known: Workload, ours: Collection[str], wanted: CheckState, after: CheckState
) -> str | None:
    """'' if our checks are in the wanted state, a clause if the Workload has changed; None if a write is needed."""
    is_same = (fresh.uid, fresh.version) == (known.uid, known.version) and fresh.quota_since is not None
    # An earlier request may have had no answer.
    if is_same and wanted is not after and says(fresh, ours, wanted):
        return ""
    if not is_same or not _is_in(fresh, ours, after):
        return f"Workload {known.name} has changed since this decision"
    return None


def report_answer(services: Services, workload: Workload | GangWorkload, entry: CheckEntry) -> None:
    """Post an event that says why a Workload gives its quota back; nothing for another entry.

    The reason would be lost otherwise: once Kueue has evicted the Workload, its checks no longer state the reason.
    """
    if entry.state is CheckState.RETRY:
        subject = workload_subject(workload.gang.namespace, workload.name, workload.uid)
        services.writer.post_about(subject, quota_given_back(entry.message), of=workload.gang)


def _is_in(workload: Workload, ours: Collection[str], state: CheckState) -> bool:
    return is_pending(workload, ours) if state is CheckState.PENDING else says(workload, ours, state)
