"""The groups of the FairShare for a plan: their use until now, and what their gangs hold now."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from operator import add

from coschedule import AMOUNT_LIMIT, FairShares, GangKey, Preemption, ShareGroup, Snapshot, claim_of
from lockstep.belief.state import State
from lockstep.facts.pods.pod import Request
from lockstep.snapshot.holders.endings import is_ending
from lockstep.snapshot.nodes.resource_columns import Columns

_Taken = Mapping[tuple[str, Request], int]


def shares_of_groups(state: State, namespaces: Iterable[str], columns: Columns, now: float) -> FairShares:
    """The groups, each with the ``namespaces`` that belong to it, without the amounts that their gangs hold.

    Without a FairShare, all namespaces are in one group.
    """
    if not state.shares.named:
        return FairShares()
    state.shares.capacity.update(now)
    return FairShares(
        groups=state.shares.groups(namespaces, now),
        capacity=tuple(state.shares.capacity.amount(name) for name in columns.names),
        reclaims=state.shares.reclaims,
    )


def shares_that_hold(
    state: State, namespaces: Iterable[str], index: Mapping[str, int], columns: Columns, now: float
) -> FairShares:
    """The groups, with the amounts that their gangs hold on the nodes of ``index``."""
    if not state.shares.named:
        return FairShares()
    holders = list(_holders(state))
    all_namespaces = {*namespaces, *(gang.namespace for gang, _ in holders)}
    shares = shares_of_groups(state, all_namespaces, columns, now)
    held = [(0,) * len(columns.names) for _ in shares.groups]
    for gang, taken in holders:
        group = shares.group_of(gang)
        held[group] = tuple(map(add, held[group], _amounts(taken, index, columns)))
    return replace(shares, groups=tuple(map(_holding, shares.groups, held)))


def may_still_reclaim(state: State, gang: GangKey, order: Preemption, seen: Snapshot, now: float) -> bool:
    """Whether the gang's group may still take back the nodes that the ``order`` of a plan takes for it.

    ``seen`` is the snapshot of that plan. True if the order takes back no nodes.
    """
    if not order.reclaimed:
        return True
    columns = Columns(seen.resources, {})
    shares = shares_that_hold(state, [gang.namespace], seen.nodes.index, columns, now)
    evicted = {*order.victims}.intersection(taken.gang for taken in order.reclaimed)
    claim = claim_of(shares, gang)
    return claim is not None and claim.allows(order.reclaimed) and (shares.reclaims or not evicted)


def _holders(state: State) -> Iterator[tuple[GangKey, _Taken]]:
    """The gangs that hold nodes and are not leaving them, with the number of their pods by node and request.

    A gang that changes its size holds its next size. A Gang holds its pods, and the seats for pods that are to come.
    """
    for key, one in state.reservations.items():
        gang = state.gangs.get(key)
        if gang is not None and not (gang.is_deleting or is_ending(state, gang) or state.assumptions.has_unowned(gang)):
            yield key, state.ledger.charged(one.gang, one.gang_uid, one.attempt)
    for following in state.counts.next_sizes:
        gang = state.gangs.get(following.gang)
        if gang is not None and not (gang.is_deleting or state.giving_way.evicted.is_decided(gang.key)):
            yield gang.key, state.ledger.charged(following.gang, following.gang_uid, following.attempt)
    for pod_gang in state.pod_gangs.objects.values():
        is_leaving = pod_gang.is_deleting or pod_gang.status.is_being_undone
        if not (is_leaving or state.giving_way.evicted.is_decided(pod_gang.key)):
            yield pod_gang.key, state.pod_gangs.group(pod_gang.key).held.taken


def _amounts(taken: _Taken, index: Mapping[str, int], columns: Columns) -> tuple[int, ...]:
    counts = Counter[Request]()
    for (node, request), count in taken.items():
        if node in index:
            counts[request] += count
    return columns.held(sorted(counts.items()), AMOUNT_LIMIT)


def _holding(group: ShareGroup, amounts: tuple[int, ...]) -> ShareGroup:
    return replace(group, held=amounts)
