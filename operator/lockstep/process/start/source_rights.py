"""Checks at the start that the operator has the rights that its sources, sweeps and fair shares need."""

import asyncio
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import NamedTuple

from lockstep.api.client import paths
from lockstep.api.client.answer import ApiUnavailableError
from lockstep.api.client.client import KubeClient
from lockstep.api.client.review import is_allowed, own_access_review
from lockstep.api.client.rights import Need, Rights
from lockstep.api.names import FAIR_SHARES, GANGS, GROUP, POD_GANGS, SWEEPS
from lockstep.api.podgang.kueue import KUEUE_VERSION
from lockstep.api.podgang.owners import OWNERS
from lockstep.api.podgang.sizing.sized_kind import sized_kinds
from lockstep.facts.gang.source import Source

# The roles, like the CRDs, may be installed at the same time as the operator. So this waits for 5 s.
_TRIES = 25
_PAUSE_SECONDS = 0.2
# The verbs on owners that get a size.
_SIZING = ("list", "watch", "patch")

_KUEUE_GROUP = KUEUE_VERSION.partition("/")[0]
# The operator reads Kueue's AdmissionChecks and sets those of Lockstep active. It reads Workloads, and answers
# Lockstep's checks in them. For GangJobs in queues, it makes Workloads.
_OF_WORKLOADS = (
    ("list", "workloads"),
    ("watch", "workloads"),
    ("patch", "workloads/status"),
    ("get", "admissionchecks"),
    ("list", "admissionchecks"),
    ("watch", "admissionchecks"),
    ("patch", "admissionchecks/status"),
    ("get", "resourceflavors"),
    ("list", "resourceflavors"),
    ("watch", "resourceflavors"),
    ("create", "workloads"),
    ("patch", "workloads"),
    ("delete", "workloads"),
)


class SourceNeed(NamedTuple):
    """A right that a source needs, and the API group of its resource."""

    group: str
    need: Need

    @property
    def resource(self) -> str:
        """The resource as in the rules of roles, such as ``gangs/status``."""
        return self.need.resource.replace(f".{self.group}", "", 1)


_NEEDS_OF_SWEEPS = (
    *(SourceNeed(GROUP, Need(verb, SWEEPS, "")) for verb in ("get", "list", "watch")),
    SourceNeed(GROUP, Need("patch", f"{SWEEPS}/status", "")),
    SourceNeed(GROUP, Need("create", GANGS, "")),
)
"""The rights for sweeps: to read GangSweeps, to write their statuses, and to make GangJobs."""


_NEEDS_OF_SHARES = (
    *(SourceNeed(GROUP, Need(verb, FAIR_SHARES, "")) for verb in ("get", "list", "watch")),
    SourceNeed(GROUP, Need("patch", f"{FAIR_SHARES}/status", "")),
)
"""The rights for fair shares: to read the FairShare and to write its status."""

_OPTIONS: Mapping[SourceNeed, str] = dict.fromkeys(_NEEDS_OF_SWEEPS, "--sweeps") | dict.fromkeys(
    _NEEDS_OF_SHARES, "--fair-shares"
)


async def check_source_rights(
    client: KubeClient,
    rights: Rights,
    sources: Collection[Source],
    *,
    sweeps: bool = False,
    fair_shares: bool = False,
) -> None:
    """Record each right that these sources need and that the API server does not give within 5 s.

    With ``sweeps``, the rights for GangSweeps are checked too, and with ``fair_shares`` the rights for the FairShare. A
    missing right stops nothing: GangJobs are placed without it.
    """
    optional = [*(_NEEDS_OF_SWEEPS if sweeps else ()), *(_NEEDS_OF_SHARES if fair_shares else ())]
    missing = [*needs_of(sources), *optional]
    # If a review gets no answer, the rights stay unknown. Then the requests that need them show whether they are
    # missing.
    with suppress(ApiUnavailableError):
        for _ in range(_TRIES):
            missing = await _still_missing(client, missing)
            if not missing:
                return
            await asyncio.sleep(_PAUSE_SECONDS)
        for one in missing:
            rights.deny(one.need, f"{_OPTIONS.get(one, '--sources')} needs this right")


def needs_of(sources: Collection[Source]) -> Iterator[SourceNeed]:
    """The rights that these sources need.

    Every source needs to read Gangs and to write their statuses. Most also need to make Gangs, and to read owners of
    pods.
    """
    owners = [OWNERS[source] for source in Source if source in sources and source in OWNERS]
    verbs = ("get", "list", "watch", *(("create", "patch") if owners else ()))
    if sources:
        yield from (SourceNeed(GROUP, Need(verb, POD_GANGS, "")) for verb in verbs)
        yield SourceNeed(GROUP, Need("patch", f"{POD_GANGS}/status", ""))
    for owner in owners:
        # In the core group, only pods are owners, and every operator may read pods.
        if owner.group:
            yield SourceNeed(owner.group, Need("get", owner.resource, ""))
    if Source.SCHEDULING_GROUP in sources:
        groups = OWNERS[Source.SCHEDULING_GROUP]
        yield SourceNeed(groups.group, Need("patch", f"{groups.resource}/status", ""))
    if Source.WORKLOAD in sources:
        yield from (SourceNeed(_KUEUE_GROUP, Need(verb, resource, "")) for verb, resource in _OF_WORKLOADS)
    for kind in sized_kinds(sources):
        yield from (SourceNeed(kind.owner.group, Need(verb, kind.owner.resource, "")) for verb in _SIZING)


async def _still_missing(client: KubeClient, needs: Iterable[SourceNeed]) -> list[SourceNeed]:
    return [one for one in needs if not await _has(client, one)]


async def _has(client: KubeClient, one: SourceNeed) -> bool:
    """Whether the operator has that right; True if the review itself is refused."""
    resource, _, subresource = one.resource.partition("/")
    review = own_access_review(verb=one.need.verb, group=one.group, resource=resource, subresource=subresource)
    answer = await client.review(paths.OWN_ACCESS_REVIEWS, review)
    return not answer.is_success or is_allowed(answer.body)
