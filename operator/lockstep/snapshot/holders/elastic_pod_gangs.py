"""Running Gangs whose owner may get another number of pods, in the form of gangs that may change their size.

So the same code chooses the sizes of Gangs and GangJobs. The owner decides which pods come or go. A Job deletes the
pods with the highest indexes. So its Gang keeps its size while a rank is missing, or two pods have the same rank. A
RayCluster can delete any workers, since they are named; its head stays.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from coschedule import AMOUNT_LIMIT, GangKey, Members, Sizes
from lockstep.belief.holding.reservation import Reservation, requests_of
from lockstep.belief.podgangs.elastic_owners import has_fixed_pods
from lockstep.belief.podgangs.pod_group import PodGroup
from lockstep.belief.podgangs.specs.running_spec import running_spec
from lockstep.belief.state import State
from lockstep.facts.gang.gang import AcceptedGang, Refusal
from lockstep.facts.gang.pod_gang import GroupedPod, PodGang, PodGangSpec
from lockstep.facts.gang.sized_owner import ElasticPods, SizedOwner
from lockstep.facts.pods.pod import MOST_GRACE_SECONDS, Request
from lockstep.facts.ranks import MOST_RANKS
from lockstep.facts.reasons import Condition
from lockstep.snapshot.holders.pod_gang_releases import pod_gang_end
from lockstep.snapshot.holders.pod_gang_runs import priority_of
from lockstep.snapshot.holders.resizable import HeldRole, Resizable, has_own_columns
from lockstep.snapshot.nodes.resource_columns import Columns, is_of_every_node


class _Places(NamedTuple):
    """The node of each pod whose number may change, by rank, and the nodes of the other pods."""

    nodes: tuple[str, ...]
    fixed: tuple[str, ...] = ()


class ElasticPodGang(NamedTuple):
    """A Gang in the form of a running gang that may change its size, and the owner of its pods.

    ``nodes`` has the node of each pod whose number may change, by rank, and ``fixed`` the nodes of the other pods.
    ``held`` is not in the cache: the ledger counts the pods of the Gang, and not this reservation.
    """

    gang: AcceptedGang
    nodes: tuple[str, ...]
    fixed: tuple[str, ...]
    held: Reservation
    owner: SizedOwner
    pods: ElasticPods


class PodGangWithoutRoom(NamedTuple):
    """A Gang with ``waiting`` pods, in the form that it would have with its other pods only.

    ``size`` is the number of these other pods: at this size, all may run. ``pods`` has the owner's terms for a change
    of this number. If the owner can delete any of its pods, it deletes the waiting pods.
    """

    gang: AcceptedGang
    pods: ElasticPods
    size: int
    waiting: int


class ElasticCandidate(NamedTuple):
    """A Gang with ``size`` pods, whose size may be chosen anew.

    Only counts of its pods were checked, and not each pod.
    """

    gang: GangKey
    size: int


def elastic_candidates(state: State) -> Iterator[ElasticCandidate]:
    """The Gangs whose size may be chosen anew. The cost does not depend on the number of their pods."""
    for key in state.pod_gangs.elastic.gangs():
        if is_elastic_candidate(state, key):
            yield ElasticCandidate(key, state.pod_gangs.group(key).going)


def is_elastic_candidate(state: State, key: GangKey) -> bool:
    """Whether the size of the Gang may be chosen anew. Only counts of its pods are checked, and not each pod."""
    gang, owner = state.pod_gangs.objects.get(key), state.pod_gangs.elastic.of(key)
    is_known = gang is not None and state.pod_gangs.elastic.needs(key) is not None
    return is_known and owner is not None and gang is not None and _stands_still(state, gang, owner)


def requests_of_elastic_pods(state: State) -> Iterator[Request]:
    """The request of one pod of each kind, for each Gang whose size may be chosen anew.

    Requests with host ports or disks are left out: with them, every plan would have columns that few gangs need.
    """
    for gang, _ in elastic_candidates(state):
        for pods in state.pod_gangs.elastic.needs(gang) or ():
            request = () if pods is None or isinstance(pods.kind.needs, Refusal) else pods.kind.needs.request
            if request and not any(is_of_every_node(name) for name, _ in request):
                yield request


def elastic_pod_gang(state: State, key: GangKey) -> ElasticPodGang | None:
    """The Gang, if all pods of its owner run, no change is under way, and its owner may have another size.

    None for other Gangs.
    """
    gang, owner, group = state.pod_gangs.objects.get(key), state.pod_gangs.elastic.of(key), state.pod_gangs.group(key)
    if gang is None or owner is None or owner.elastic is None or not _stands_still(state, gang, owner):
        return None
    places = _places(group, owner.elastic)
    running = _as_running(state, gang, owner.elastic, _sizes(gang, owner))
    if places is None or running is None:
        return None
    return ElasticPodGang(running, *places, _held(running, places), owner, owner.elastic)


def resizable_pod_gang(
    state: State, key: GangKey, index: Mapping[str, int], columns: Columns, now: float
) -> Resizable | None:
    """The Gang in the form for a choice of its size; None if its size can't be chosen.

    Its size can't be chosen if :func:`elastic_pod_gang` returns None. The same holds if pods are on nodes outside
    ``index``, or have other requests than their roles.
    """
    one = elastic_pod_gang(state, key)
    if one is None:
        return None
    elastic, known = one.gang.spec.elastic, state.pod_gangs.objects[key]
    if elastic is None or not _hold_what_they_need(state, one, columns):
        return None
    if not all(node in index for node in (*one.nodes, *one.fixed)):
        return None
    varying, *fixed = (
        HeldRole(role, tuple(index[node] for node in nodes))
        for role, nodes in zip(one.gang.spec.roles, (one.nodes, one.fixed), strict=False)
    )
    return Resizable(
        gang=one.gang,
        spec=one.gang.spec,
        varying=varying,
        fixed=tuple(fixed),
        elastic=elastic,
        reservation=one.held,
        priority=priority_of(state, known),
        end=pod_gang_end(known.status, now),
        grace=float(min(state.pod_gangs.group(key).held.grace_seconds, MOST_GRACE_SECONDS)),
        in_order=not one.pods.role,
    )


def _hold_what_they_need(state: State, one: ElasticPodGang, columns: Columns) -> bool:
    """Whether the pods on each node request what the pods of their roles need."""
    needed, held = Counter[tuple[str, tuple[int, ...]]](), Counter[tuple[str, tuple[int, ...]]]()
    for role, nodes in zip(one.gang.spec.roles, (one.nodes, one.fixed), strict=False):
        asked = columns.asked(role.request)
        needed.update((node, asked) for node in nodes)
    for (node, request), count in state.pod_gangs.group(one.gang.key).held.taken.items():
        held[node, columns.held([(request, 1)], AMOUNT_LIMIT)] += count
    return needed == held


def pod_gang_without_room(state: State, key: GangKey) -> PodGangWithoutRoom | None:
    """The Gang, if some of its pods wait and it may shrink to the number of its other pods; None otherwise."""
    gang, owner, group = state.pod_gangs.objects.get(key), state.pod_gangs.elastic.of(key), state.pod_gangs.group(key)
    if gang is None or owner is None or owner.elastic is None or not _is_unchanging(state, gang, owner):
        return None
    is_known = group.waiting and group.going + group.waiting == owner.elastic.pods and has_fixed_pods(group, owner)
    sizes = _sizes(gang, owner)
    running = _as_running(state, gang, owner.elastic, sizes) if is_known else None
    if running is None or sizes is None or group.going < sizes.minimum:
        return None
    return PodGangWithoutRoom(running, owner.elastic, group.going, group.waiting)


def would_free_nodes(state: State, short: PodGangWithoutRoom) -> bool:
    """Whether running pods of a Gang without room would leave, so that waiting pods with lower indexes get nodes."""
    return not short.pods.role and _places(state.pod_gangs.group(short.gang.key), short.pods) is None


def members_with_room(state: State, short: PodGangWithoutRoom) -> tuple[Members, ...]:
    """The pods of a Gang without room that are on nodes, as members."""
    return tuple(members_of(short.gang, _by_role(state.pod_gangs.group(short.gang.key), short.pods)))


def _stands_still(state: State, gang: PodGang, owner: SizedOwner) -> bool:
    """Whether all pods of the owner run, and neither the Gang nor any of its pods is about to change."""
    group = state.pod_gangs.group(gang.key)
    is_whole = owner.elastic is not None and group.going == owner.elastic.pods and not group.waiting
    are_running = is_whole and group.held.have_all_started and has_fixed_pods(group, owner)
    return are_running and _is_unchanging(state, gang, owner)


def _is_unchanging(state: State, gang: PodGang, owner: SizedOwner) -> bool:
    """Whether all pods on nodes belong to the owner, and neither these pods nor the Gang are about to change."""
    group, status = state.pod_gangs.group(gang.key), gang.status
    is_placed = status.is_true(Condition.PLACED) and status.reserved_at is None and status.next_size is None
    is_going = gang.is_deleting or gang.key in state.pod_gangs.yielding.suspended or group.leaving
    is_of_owner = gang.made_for == owner.uid and group.going == group.going_of(owner.uid)
    return is_placed and is_of_owner and gang.key not in state.reservations and not is_going


def _sizes(gang: PodGang, owner: SizedOwner) -> Sizes | None:
    """The sizes that the owner and the Gang allow; None if they do not allow the present size."""
    asks, pods = gang.asks, 0 if owner.elastic is None else owner.elastic.pods
    if not isinstance(asks, PodGangSpec) or pods not in owner.sizes or not asks.minimum <= pods <= asks.maximum:
        return None
    return Sizes(minimum=max(owner.sizes[0], asks.minimum), maximum=min(owner.sizes[-1], asks.maximum))


def _as_running(state: State, gang: PodGang, pods: ElasticPods, sizes: Sizes | None) -> AcceptedGang | None:
    asks, needs = gang.asks, state.pod_gangs.elastic.needs(gang.key)
    if needs is None or sizes is None or not isinstance(asks, PodGangSpec):
        return None
    spec = running_spec(asks, needs, sizes, pods, state.pool)
    if spec is None or spec.minds_pods or has_own_columns(spec) or any(role.claims for role in spec.roles):
        return None
    known = state.gangs.get(gang.key)
    if known is None:
        return None
    # The owner remembers its first size; a Gang that was created again does not.
    first = pods.first if gang.status.first_size is None else gang.status.first_size
    return replace(known.with_spec(spec), created=gang.created, status=replace(known.status, first_size=first))


def _places(group: PodGroup, pods: ElasticPods) -> _Places | None:
    """The nodes of the pods, by rank.

    None if the owner deletes the highest indexes first, and a rank is missing or two pods have the same rank.
    """
    if pods.role:
        return _by_role(group, pods)
    places = {pod.group.rank: pod.node for pod in group.going_pods()}
    if len(places) != group.going or not all(rank in places for rank in range(len(places))):
        return None
    return _Places(tuple(places[rank] for rank in range(len(places))))


def _by_role(group: PodGroup, pods: ElasticPods) -> _Places:
    """The nodes of the pods whose number may change, and the nodes of the other pods."""
    varying, fixed = list[str](), list[str]()
    for pod in sorted(group.going_pods(), key=by_rank):
        (varying if pods.role in ("", pod.group.role) else fixed).append(pod.node)
    return _Places(tuple(varying), tuple(fixed))


def by_rank(pod: GroupedPod) -> tuple[int, str]:
    """A sort key of running pods by rank. A user may have removed ranks or made them equal."""
    return (MOST_RANKS if pod.group.rank is None else pod.group.rank, pod.key.name)


def _held(gang: AcceptedGang, places: _Places) -> Reservation:
    members = tuple(members_of(gang, places))
    return Reservation(
        gang=gang.key,
        gang_uid=gang.uid,
        attempt=gang.status.attempt,
        members=members,
        requests=requests_of(gang.spec),
        start=gang.status.start or 0.0,
        expected_finish=gang.status.expected_finish,
    )


def members_of(gang: AcceptedGang, places: Iterable[Iterable[str]]) -> Iterator[Members]:
    """The members of a Gang on the nodes of each of its roles."""
    for role, nodes in zip(gang.spec.roles, places, strict=False):
        for node, count in sorted(Counter(nodes).items()):
            yield Members(node, count, role=role.name)
