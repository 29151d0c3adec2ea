"""Creates the Gangs for owners of pods, and changes them with their owners. Gangs that users write are left alone."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any, NamedTuple

from coschedule import GangKey
from lockstep.act.podgang.check_writes import write_checks
from lockstep.act.podgang.group_priority import higher_priority
from lockstep.act.podgang.needs_to_be import learn_needs
from lockstep.act.podgang.workload_needs import learn_needs_of_workload, waits_for_size
from lockstep.act.requests.job_above import as_its_job_wants
from lockstep.act.requests.services import Services
from lockstep.api.client import paths
from lockstep.api.client.answer import Answer, ApiUnavailableError
from lockstep.api.client.pauses import pause_after
from lockstep.api.client.turns import Urgency
from lockstep.api.cluster.event import pod_subject
from lockstep.api.kueue.check_entries import CheckEntry, without_start
from lockstep.api.kueue.workload import as_owner_of_pods, workload_at
from lockstep.api.manifest import Manifest
from lockstep.api.podgang.kueue_group import pod_in_group
from lockstep.api.podgang.made_gang import made_gang, made_parts, made_patch, refused_parts
from lockstep.api.podgang.owner_reader import OwnerReader
from lockstep.api.podgang.owners import OWNERS, OwnerKind
from lockstep.api.podgang.pod_gang import is_as_made
from lockstep.api.podgang.section import Section
from lockstep.api.podgang.sizing.sized_kind import SizedKind, sized_kinds
from lockstep.api.unreadable.unreadable_objects import describe
from lockstep.belief.podgangs.group_owners import lacks_owners, owners_of_group
from lockstep.facts.gang.keys import object_name
from lockstep.facts.gang.pod_gang import OwnerName, PodGang
from lockstep.facts.gang.source import Source, maker_of
from lockstep.facts.gang.workload import CheckState
from lockstep.facts.ranks import MOST_RANKS
from lockstep.logs.fields import about
from lockstep.logs.subject import work_for
from lockstep.report.status.events import gang_missing

# A Gang is often created right after its pods.
_CHECKS_BEFORE_EVENT = 3
# Reads and writes of owners and Gangs at a time. These are fewer than bindings, and less urgent.
_AT_ONCE = 8
_NOTHING_TO_PLACE = CheckEntry(CheckState.READY, "None of its pods names Lockstep as its scheduler.")

log = logging.getLogger(__name__)


class _WantedGang(NamedTuple):
    """A Gang as it must be, and the object for which it is made: an owner, or ``pods`` that own it.

    ``owner`` is the owner, or one of these pods.
    """

    kind: OwnerKind
    owner: Manifest
    parts: Mapping[str, Any]
    pods: Sequence[OwnerName] = ()

    @property
    def uid(self) -> str:
        """The UID of the owner."""
        return str(self.owner["metadata"]["uid"])

    def refused(self, why: str) -> "_WantedGang":
        """The same Gang, refused for the reason ``why``, because its owner can't be obeyed."""
        return self._replace(parts=refused_parts(self.kind, self.owner, why, pods=self.pods))


class GangMaker:
    """Creates and changes Gangs beside the cycle, a few at once. Each owner is read again only after a pause.

    If pods wait and their Gang is still missing at the third check, an event about one of the pods says why.
    """

    def __init__(self, services: Services) -> None:
        self._services = services
        self._client = services.client
        self._state = services.state
        self._writer = services.writer
        services.state.pod_gangs.await_checks()
        self._owners = OwnerReader(services.client)
        self._checks: dict[GangKey, int] = {}
        # The Gangs that the last check has changed.
        self._patched: set[GangKey] = set()
        self._at_once = asyncio.Semaphore(_AT_ONCE)
        self._under_way: dict[GangKey, asyncio.Task[None]] = {}

    def reconcile_made(self, gang: GangKey) -> None:
        """Begin to create the Gang, or to compare it with its owner, unless that was done a moment ago."""
        if gang not in self._under_way:
            self._under_way[gang] = asyncio.create_task(self._reconcile(gang))

    def is_due(self, gang: GangKey) -> bool:
        """Whether the Gang must be created or compared with its owner.

        This is so in each of these cases: pods wait for the Gang; it is missing although pods run or an owner waits for
        a size; an owner waits for a size and the needs of its pods are unknown; most pods that own the Gang are gone.
        """
        group, sized = self._state.pod_gangs.group(gang), self._state.pod_gangs.sized
        needs_it = group.going > 0 or sized.of(gang) is not None
        is_missing = needs_it and gang not in self._state.gangs
        known = self._state.pod_gangs.objects.get(gang)
        return group.waiting > 0 or sized.is_unknown(gang) or is_missing or lacks_owners(group, known)

    def forget(self, gang: GangKey) -> None:
        """Forget a Gang whose pods are placed or gone. Its next change is checked without a pause."""
        self._checks.pop(gang, None)
        self._patched.discard(gang)

    async def stop(self) -> None:
        """Stop. After a restart, the operator finds the same pods."""
        for task in self._under_way.values():
            task.cancel()
        await asyncio.gather(*self._under_way.values(), return_exceptions=True)

    async def _reconcile(self, gang: GangKey) -> None:
        work_for(gang)
        try:
            await self._check(gang)
        finally:
            del self._under_way[gang]
        if self.is_due(gang):
            self._state.changes.reconcile(gang)

    async def _check(self, gang: GangKey) -> None:
        """Create the Gang or compare it with its owner, and then leave it for a while.

        If this check changes the Gang, the next check follows soon, since pods wait for it. If the last check has
        changed the Gang too, the pause is as usual.
        """
        checks = self._checks[gang] = self._checks.get(gang, 0) + 1
        was_patched = gang in self._patched
        self._patched.discard(gang)
        problem = await self._problem(gang)
        if problem and gang not in self._state.pod_gangs.objects:
            await self._report_to_kueue(gang, problem)
        if problem and checks == _CHECKS_BEFORE_EVENT:
            self._report(gang, problem)
        is_patched = gang in self._patched and not was_patched
        await asyncio.sleep(pause_after(0 if is_patched else checks - 1))

    async def _report_to_kueue(self, gang: GangKey, problem: str) -> None:
        """Write to a waiting Workload why it has no Gang. Other reports about the Workload follow from the Gang."""
        known = self._state.pod_gangs.workloads.awaiting(gang)
        if known is None:
            return
        why = f"It has no Gang: {problem.rstrip('.')}."
        entry = without_start(why, known.quota_since, self._services.quota_wait, self._services.now())
        try:
            problem = await write_checks(self._services, known, entry, Urgency.REPORT)
        except ApiUnavailableError as error:
            problem = str(error)
        if problem:
            log.info("the gang's AdmissionCheck is not written: %s", problem, extra=about(gang))

    async def _problem(self, gang: GangKey) -> str:
        """Create or change the Gang, if that is due. Returns why the pods lack the Gang that they need, or ''."""
        named = maker_of(object_name(gang))
        if named is None or named[0] not in self._state.sources:
            return "" if gang in self._state.pod_gangs.objects else f"there is no Gang {object_name(gang)}"
        source, owner = named
        kind = OWNERS[source]
        try:
            async with self._at_once:
                if source is Source.KUEUE_GROUP:
                    return await self._make_of_pods(gang, kind)
                return await self._make_or_change(gang, kind, owner)
        except ApiUnavailableError as error:
            return f"the API server did not answer: {error}"
        except (LookupError, TypeError, AttributeError, ValueError) as error:
            return f"{kind.kind} {owner} can't be understood: {describe(error)}"

    def _report(self, gang: GangKey, problem: str) -> None:
        log.warning("the gang's pods wait: %s", problem, extra=about(gang))
        pod = self._state.pod_gangs.group(gang).one_waiting()
        if pod is not None:
            why = f"pods that name the Gang {object_name(gang)} wait for it: {problem}"
            self._writer.post_about(pod_subject(self._state.pods[pod]), gang_missing(why), of=gang)

    async def _make_or_change(self, gang: GangKey, kind: OwnerKind, owner: str) -> str:
        """Create or change the Gang, if that is due. Returns why that failed, or ''."""
        if kind is OWNERS[Source.WORKLOAD]:
            return await self._make_for_workload(gang, kind)
        kind, found = await self._owners.read(kind, gang.namespace, owner)
        if not found.is_success:
            return f"{kind.kind} {owner} can't be read: {found.message}"
        return await self._apply(gang, await self._wanted(gang, kind, found.body))

    async def _wanted(self, gang: GangKey, kind: OwnerKind, owner: Manifest) -> _WantedGang:
        """The Gang that follows from its owner, and from other known facts about its pods."""
        sized, refusal = self._sized(kind, owner), ""
        if sized is not None:
            refusal = sized.problem(owner) or await learn_needs(self._client, self._state, sized, owner)
        elif kind.resource == OWNERS[Source.SCHEDULING_GROUP].resource:
            succeeded = self._state.pod_gangs.group(gang).own(None, 0).succeeded
            owner = await as_its_job_wants(self._client, self._state.sources, owner, succeeded=succeeded)
            refusal = higher_priority(self._state, gang, owner)
        done = self._done(gang, kind, owner)
        wanted = _WantedGang(kind, owner, made_parts(kind, owner, awaits_size=sized is not None, succeeded=done))
        return wanted.refused(refusal) if refusal else wanted

    def _done(self, gang: GangKey, kind: OwnerKind, owner: Manifest) -> Mapping[str, int]:
        """For each role whose pods have ended for good, the number of its pods that have succeeded."""
        roles = [one.role for one in kind.first(Section(owner)) if one.done]
        return self._state.pod_gangs.group(gang).own(owner["metadata"]["uid"], 0, roles).succeeded_roles

    async def _make_for_workload(self, gang: GangKey, kind: OwnerKind) -> str:
        """Create or change the Gang for a Workload with quota. Returns why that failed, or ''.

        Pods of a Workload without quota are not placed, because Kueue would take them back.
        """
        known = self._state.pod_gangs.workloads.of(gang)
        if known is None:
            return "Kueue has given no quota to its Workload"
        if not known.pods:
            return await write_checks(self._services, known, _NOTHING_TO_PLACE, Urgency.REPORT)
        found = await self._client.get(workload_at(gang.namespace, known.name))
        if not found.is_success:
            return f"{kind.kind} {known.name} can't be read: {found.message}"
        first = await waits_for_size(self._services, found.body)
        if first:
            return first
        refusal = await learn_needs_of_workload(self._services, found.body) if self._awaits_check(gang) else ""
        owner = as_owner_of_pods(found.body)
        wanted = _WantedGang(kind, owner, made_parts(kind, owner))
        return await self._apply(gang, wanted.refused(refusal) if refusal else wanted)

    def _awaits_check(self, gang: GangKey) -> bool:
        return self._state.pod_gangs.workloads.awaiting(gang) is not None

    async def _make_of_pods(self, gang: GangKey, kind: OwnerKind) -> str:
        """Create or change the Gang for pods without a common owner. Returns why that failed, or ''.

        The contents of the pods are known, so nothing is read.
        """
        group, known = self._state.pod_gangs.group(gang), self._state.pod_gangs.objects.get(gang)
        if not group.terms:
            return "its pods name no group of Kueue"
        first, pods = group.terms[0], owners_of_group(group, known)
        owner = pod_in_group(first.one, first.uid, first.terms)
        return await self._apply(gang, _WantedGang(kind, owner, made_parts(kind, owner, pods=pods), pods))

    async def _apply(self, gang: GangKey, wanted: _WantedGang) -> str:
        """Create or change the Gang, unless it is already as wanted or a user's. Returns why that failed, or ''."""
        known = self._state.pod_gangs.objects.get(gang)
        if known is not None and (known.made_for is None or is_as_made(known, wanted.parts)):
            self._state.pod_gang_facts.check(gang, _pods_at_once(gang, wanted))
            return ""
        answer = await self._send(gang, known, wanted)
        if answer.code == HTTPStatus.UNPROCESSABLE_ENTITY:
            # The schema has more rules than this code checks.
            answer = await self._send(gang, known, wanted.refused(answer.message.rstrip(".")))
        if answer.is_success and known is not None:
            self._patched.add(gang)
        if answer.is_success and known is None and (wanted.pods or self._pods_name_owner(gang, wanted.uid)):
            # The Gang follows from the owner that was read just now. Pods of a later owner with the same name do not
            # count.
            self._state.pod_gang_facts.check(gang, _pods_at_once(gang, wanted))
        return "" if answer.is_success or answer.code == HTTPStatus.CONFLICT else answer.message

    def _sized(self, kind: OwnerKind, owner: Manifest) -> SizedKind | None:
        """How the owner gets a size; None if it does not wait for one, or if the operator may not give it."""
        kinds = sized_kinds(self._state.sources)
        return next((one for one in kinds if one.owner is kind and one.awaits_size(owner)), None)

    def _pods_name_owner(self, gang: GangKey, owner: str) -> bool:
        """Whether the waiting pods that may belong to this owner name its UID."""
        return all(kind.owner for kind, _ in self._state.pod_gangs.group(gang).waiting_by_kind(owner))

    async def _send(self, gang: GangKey, known: PodGang | None, wanted: _WantedGang) -> Answer:
        """Send the request that creates the Gang, or changes the ``known`` one."""
        parts = wanted.parts
        if known is None:
            manifest = made_gang(object_name(gang), wanted.owner, parts)
            return await self._client.create(paths.pod_gangs_of(gang.namespace), manifest, Urgency.REPORT)
        return await self._client.patch(paths.gang(gang), made_patch(parts, known.uid), Urgency.REPORT)


def _pods_at_once(gang: GangKey, wanted: _WantedGang) -> int:
    """The most pods that a Gang's owner makes at once; ``MOST_RANKS`` if the owner does not make the pods itself."""
    named = maker_of(object_name(gang))
    makes_pods = named is not None and not (named[0].is_pod_group or named[0].is_of_pods)
    return wanted.kind.expected(wanted.owner) if makes_pods else MOST_RANKS
