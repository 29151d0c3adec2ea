"""The watched kinds: Lockstep's own, and owners of pods. Others are in ``kubernetes_kinds`` and ``kueue_kinds``."""

from collections.abc import Callable, Collection, Iterator
from functools import partial
from typing import Any

from coschedule import GangKey
from lockstep.api.client import paths
from lockstep.api.gangjob.gangjob import parse_gang
from lockstep.api.manifest import Manifest
from lockstep.api.nodebid.bid import parse_bid
from lockstep.api.podgang.pod_gang import parse_pod_gang
from lockstep.api.podgang.sizing.sized_kind import SizedKind, sized_kinds
from lockstep.api.shares.fair_share import parse_fair_share
from lockstep.api.sweeps.sweep import parse_sweep
from lockstep.api.unreadable.unreadable_objects import (
    unreadable_bid,
    unreadable_gang,
    unreadable_pod_gang,
)
from lockstep.belief.state import State
from lockstep.facts.cluster.node import BidFact
from lockstep.facts.fair_share import FairShare
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.keys import is_pod_gang, pod_gang_key
from lockstep.facts.gang.pod_gang import PodGang
from lockstep.facts.gang.sized_owner import SizedOwner
from lockstep.facts.gang.source import Source, made_name
from lockstep.facts.runs.sweep_keys import is_sweep, sweep_key
from lockstep.facts.sweeps.sweep import Sweep
from lockstep.watch.kind import WatchedKind
from lockstep.watch.kubernetes_kinds import name_of
from lockstep.watch.kueue_kinds import KUEUE_KINDS


def gangs_kind(state: State) -> WatchedKind[GangFact]:
    """All GangJobs."""
    return WatchedKind(
        target=paths.ALL_GANGS,
        key=_gang_identity,
        parse=lambda it: parse_gang(it, state.as_written(_gang_key(it)), state.pool, state.gate_image),
        apply=state.apply_gang,
        remove=lambda it: state.remove_gang(*it),
        parse_failures=state.parse_failures,
        unreadable=unreadable_gang,
        counts_as="a gang that is refused",
        # The cache also has Gangs, which no list of GangJobs has.
        cached=lambda: [(gang.key, gang.uid) for gang in state.gangs.values() if not is_pod_gang(gang.key)],
        version=lambda it: _version(state.gangs.get(it[0]), it[1]),
    )


def pod_gangs_kind(state: State) -> WatchedKind[PodGang]:
    """All Gangs. Other controllers or users create their pods."""
    return WatchedKind(
        target=paths.ALL_POD_GANGS,
        key=_pod_gang_identity,
        parse=parse_pod_gang,
        apply=state.pod_gang_facts.apply,
        remove=lambda it: state.pod_gang_facts.remove(*it),
        parse_failures=state.parse_failures,
        unreadable=unreadable_pod_gang,
        counts_as="a gang that is refused",
        cached=lambda: [(gang.key, gang.uid) for gang in state.pod_gangs.objects.values()],
        version=lambda it: _version(state.pod_gangs.objects.get(it[0]), it[1]),
        is_dispensable=True,
    )


def sized_owners_kind(sized: SizedKind, state: State) -> WatchedKind[SizedOwner]:
    """All owners of a kind. The cache keeps owners that wait for a size, or may change their size while they run."""
    return WatchedKind(
        target=sized.owner.everywhere(),
        key=partial(_owner_identity, sized.source),
        parse=sized.parse,
        apply=state.pod_gang_facts.apply_owner,
        remove=lambda it: state.pod_gang_facts.remove_owner(*it),
        parse_failures=state.parse_failures,
        is_dispensable=True,
        may_be_missing=True,
    )


def sweeps_kind(state: State) -> WatchedKind[Sweep]:
    """All GangSweeps."""
    return WatchedKind(
        target=paths.ALL_SWEEPS,
        key=_sweep_identity,
        parse=parse_sweep,
        apply=state.sweeps.apply,
        remove=lambda it: state.sweeps.remove(*it),
        parse_failures=state.parse_failures,
        cached=lambda: [(sweep.key, sweep.uid) for sweep in state.sweeps.objects.values()],
        version=lambda it: _version(state.sweeps.objects.get(it[0]), it[1]),
        is_dispensable=True,
        may_be_missing=True,
    )


def fair_shares_kind(state: State) -> WatchedKind[FairShare]:
    """The FairShare: the schema allows only one."""
    return WatchedKind(
        target=paths.ALL_FAIR_SHARES,
        key=lambda it: it["metadata"]["uid"],
        parse=parse_fair_share,
        apply=state.shares.apply,
        remove=state.shares.remove,
        parse_failures=state.parse_failures,
        cached=lambda: [] if state.shares.fact is None else [state.shares.fact.uid],
        version=lambda uid: _version(state.shares.fact, uid),
        is_dispensable=True,
        may_be_missing=True,
    )


def kind_of(state: State, gang: GangKey) -> WatchedKind[Any]:
    """The kind of the object with that key: Gangs, GangSweeps or GangJobs."""
    if is_sweep(gang):
        return sweeps_kind(state)
    return pod_gangs_kind(state) if is_pod_gang(gang) else gangs_kind(state)


def bids_kind(state: State) -> WatchedKind[BidFact]:
    """All NodeBids."""
    return WatchedKind(
        target=paths.ALL_BIDS,
        key=name_of,
        parse=parse_bid,
        apply=state.bids.apply,
        remove=state.bids.remove,
        parse_failures=state.parse_failures,
        unreadable=unreadable_bid,
        counts_as="a node that is not offered",
        cached=state.bids.known,
        version=state.bids.version,
    )


def _gang_identity(manifest: Manifest) -> tuple[GangKey, str]:
    """The identity of a gang: its key and its UID, since an earlier or later gang may have the same name."""
    return _gang_key(manifest), manifest["metadata"]["uid"]


def _pod_gang_identity(manifest: Manifest) -> tuple[GangKey, str]:
    metadata = manifest["metadata"]
    return pod_gang_key(metadata["namespace"], metadata["name"]), metadata["uid"]


def _sweep_identity(manifest: Manifest) -> tuple[GangKey, str]:
    metadata = manifest["metadata"]
    return sweep_key(metadata["namespace"], metadata["name"]), metadata["uid"]


def _owner_identity(source: Source, manifest: Manifest) -> tuple[GangKey, str]:
    """The identity of an owner: the key of the Gang that is made for it, and the owner's UID."""
    metadata = manifest["metadata"]
    return pod_gang_key(metadata["namespace"], made_name(source, metadata["name"])), metadata["uid"]


def _gang_key(manifest: Manifest) -> GangKey:
    return GangKey(manifest["metadata"]["namespace"], manifest["metadata"]["name"])


def _version(fact: GangFact | PodGang | Sweep | FairShare | None, uid: str) -> str | None:
    """The version of a cached object; None if the cache does not have the object, or has one with another UID."""
    return None if fact is None or fact.uid != uid else fact.resource_version


def watched_for(
    sources: Collection[Source], *, sweeps: bool = False, fair_shares: bool = False
) -> Iterator[Callable[[State], WatchedKind[Any]]]:
    """Yield a function for each kind that these sources need; the function makes the kind for a cache.

    ``sweeps`` adds GangSweeps, and ``fair_shares`` adds the FairShare.
    """
    if fair_shares:
        yield fair_shares_kind
    if sweeps:
        yield sweeps_kind
    if sources:
        yield pod_gangs_kind
    for kind in sized_kinds(sources):
        yield partial(sized_owners_kind, kind)
    if Source.WORKLOAD in sources:
        yield from KUEUE_KINDS
