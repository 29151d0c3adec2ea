"""The number of members that quotas allow a gang now. Only this module computes what is left of a quota.

The quotas' statuses have the amounts that the API server has counted. Members that are being created are counted here
until watches show their pods. This is an estimate: the API server decides when pods are created, and may know more.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple

from coschedule import GangKey, Members, Sizes, Work
from lockstep.belief.state import State
from lockstep.belief.volumes.kept_volumes import kept_places, places_of_role
from lockstep.facts.cluster.quota import QuotaFact, QuotaKey
from lockstep.facts.gang.gang import AcceptedGang, GangFact, GangSpec
from lockstep.facts.gang.keys import is_pod_gang, is_room
from lockstep.facts.reasons import Condition, Reason
from lockstep.snapshot.quotas.pods_to_create import creates_pods, pods_to_create
from lockstep.snapshot.quotas.quota_demand import demand_of_members


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """A limit of a quota.

    The quota allows ``hard`` of the resource, and ``left`` of it is not used. ``each`` is the amount for one member of
    each role.
    """

    quota: str
    resource: str
    hard: int
    left: int
    each: tuple[int, ...]

    def taken(self, counts: Sequence[int]) -> int:
        """The amount that these numbers of members take, by role."""
        return sum(count * amount for count, amount in zip(counts, self.each, strict=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaShort:
    """A quota is too small for a gang: even its fewest members, ``needed``, take ``wanted`` of the resource."""

    reason: ClassVar[Reason] = Reason.QUOTA_EXCEEDED
    limit: Limit
    needed: int
    wanted: int

    @property
    def suits_without_others(self) -> bool:
        """Whether the quota would be large enough if nothing else used it."""
        return self.wanted <= self.limit.hard


class Narrowed(NamedTuple):
    """Quota ``quota`` allows a gang ``most`` of the ``maximum`` members that it could have otherwise.

    ``fastest`` is the size with the shortest run time; None if the run time is unknown, or the gang has several roles.
    """

    quota: str
    most: int
    maximum: int
    fastest: int | None


class Bound(NamedTuple):
    """A gang with at most the members that quotas allow; ``narrowed`` is None if no quota limits it."""

    gang: AcceptedGang
    narrowed: Narrowed | None


class _TakenOfQuota(NamedTuple):
    """The amounts that members whose pods no watch has shown yet are about to take of a quota.

    The amounts are valid as long as the ``quota`` object and the numbers of ``changes`` are the same.
    """

    quota: QuotaFact
    changes: tuple[int, int]
    amounts: Counter[str]


class QuotaBounds:
    """The members that quotas allow now, by the cache. Callers make a new object for each plan and each start.

    The amounts that unseen members are about to take of a quota are added up once, for all gangs.
    """

    def __init__(self, state: State) -> None:
        self._state = state
        self._taken: dict[QuotaKey, _TakenOfQuota] = {}

    def bound(self, gang: AcceptedGang) -> Bound | QuotaShort:
        """The gang with at most the members that quotas allow; ``QuotaShort`` if they do not allow its fewest members.

        A gang that still holds nodes is returned unchanged, since quotas still count its members. If the pods of a Gang
        exist, it is returned without later pods that a quota would refuse.
        """
        if is_pod_gang(gang.key) and not (gang.spec.is_room or creates_pods(self._state.pod_gangs, gang.key)):
            return Bound(self._without_forbidden_room(gang), None)
        limits = [] if gang.key in self._state.reservations else self.limits(gang)
        if not limits:
            return Bound(gang, None)
        sizes = self._sizes(gang)
        most = most_members(sizes, limits)
        if isinstance(most, QuotaShort):
            return most
        maximum, fastest = sum(one.maximum for one in sizes), _fastest(gang.spec.work, sizes)
        tightest = min(limits, key=lambda limit: (limit.left - limit.taken(most)) / max(limit.each))
        is_narrowed = sum(most) < (maximum if fastest is None else fastest)
        narrowed = Narrowed(tightest.quota, sum(most), maximum, fastest) if is_narrowed else None
        return Bound(replace(gang, spec=self._narrowed(gang, gang.spec, most)), narrowed)

    def _without_forbidden_room(self, gang: AcceptedGang) -> AcceptedGang:
        """The Gang without later pods that a quota would refuse.

        No room is kept for such pods, and no gang gives way to them.
        """
        later = [role.sizes.minimum if role.is_later else 0 for role in gang.spec.roles]
        if not any(later) or self._have_room(gang, later):
            return gang
        kept = QuotaBounds._without_forbidden_room
        return gang.with_spec(self._state.remembered.of(gang, None, kept, lambda: _without_later(gang.spec)))

    def _have_room(self, gang: AcceptedGang, counts: Sequence[int]) -> bool:
        return all(limit.taken(counts) <= max(limit.left, 0) for limit in self._limits_of_all(gang))

    def allow(self, gang: AcceptedGang, members: Sequence[Members], *, instead_of: Sequence[Members] = ()) -> bool:
        """Whether quotas have room for these members, once the members that they replace (``instead_of``) are gone.

        If a limit is already exceeded, the new members must take no more of it than the replaced members.
        """
        by_role: Counter[str] = Counter()
        for sign, entries in ((1, members), (-1, instead_of)):
            for entry in entries:
                by_role[entry.role] += sign * entry.count
        counts = [by_role[role.name] for role in gang.spec.roles]
        return all(limit.taken(counts) <= max(limit.left, 0) for limit in self.limits(gang))

    def limits(self, gang: GangFact) -> list[Limit]:
        """The limits that quotas set on resources that the gang's members take.

        A Gang has no limits: quotas counted its pods when other controllers created them. Two cases have limits: room
        for later pods, and a Gang whose owner creates pods when Lockstep gives it a first or another size.
        """
        is_elastic = isinstance(gang, AcceptedGang) and gang.spec.elastic is not None
        may_create = is_elastic or creates_pods(self._state.pod_gangs, gang.key)
        if is_pod_gang(gang.key) and not (is_room(gang.key) or may_create):
            return []
        return self._limits_of_all(gang)

    def _limits_of_all(self, gang: GangFact) -> list[Limit]:
        quotas = self._state.quotas.of(gang.key.namespace)
        return [limit for quota in quotas for limit in self._limits_of(quota, gang)]

    def _limits_of(self, quota: QuotaFact, gang: GangFact) -> Iterator[Limit]:
        counted, own = list(self._counted(quota, gang)), self._growth(gang.key)
        each = [amounts for _, amounts in counted]
        for amount in quota.amounts_of({name for amounts in each for name in amounts}):
            yield Limit(
                quota=quota.key.name,
                resource=amount.resource,
                hard=amount.hard,
                left=amount.hard
                - amount.used
                - self._about_to_be_taken(quota)[amount.resource]
                + sum(own[role] * amounts.get(amount.resource, 0) for role, amounts in counted),
                each=tuple(amounts.get(amount.resource, 0) for amounts in each),
            )

    def _counted(self, quota: QuotaFact, gang: GangFact) -> Iterator[tuple[str, Mapping[str, int]]]:
        """For each role, its name and the amounts that the quota counts for one of its members."""
        priority_class = self._state.priorities.name_of(gang) if gang.spec else ""
        for one in demand_of_members(self._state, gang):
            yield one.role, one.counted(quota, priority_class)

    def _about_to_be_taken(self, quota: QuotaFact) -> Counter[str]:
        """The amounts of the quota that members in creation, and members that join soon, are about to take.

        A member counts until a watch has shown its pod.
        """
        known, counts = self._taken.get(quota.key), self._state.counts
        changes = (counts.holders.unseen.changes, counts.next_sizes.changes)
        if known is None or known.quota is not quota or known.changes != changes:
            known = self._taken[quota.key] = _TakenOfQuota(quota, changes, self._add_up(quota))
        return known.amounts

    def _add_up(self, quota: QuotaFact) -> Counter[str]:
        taken: Counter[str] = Counter()
        for gang, unseen in self._in_creation(quota.key.namespace):
            for role, amounts in self._counted(quota, gang):
                for resource in amounts.keys() & quota.by_resource.keys() if unseen.get(role) else ():
                    taken[resource] += unseen[role] * amounts[resource]
        return taken

    def _in_creation(self, namespace: str) -> Iterator[tuple[GangFact, Mapping[str, int]]]:
        """The gangs that get new members now or soon, each with the number of these members by role.

        Members that a watch has shown are left out.
        """
        for key in self._state.counts.next_sizes.in_namespace(namespace):
            growing = self._state.gangs.get(key)
            if growing is not None:
                yield growing, self._growth(key)
        for key, unseen in self._state.counts.holders.unseen.in_namespace(namespace):
            gang = self._state.gangs.get(key)
            if gang is not None and not (_has_all_members(gang) or gang.status.is_being_undone):
                yield gang, pods_to_create(self._state.pod_gangs, key, unseen) if is_pod_gang(key) else unseen

    def _growth(self, gang: GangKey) -> Counter[str]:
        """How many more members of each role a gang will have with the next size for which room is kept."""
        following = self._state.counts.next_sizes.of(gang)
        return Counter() if following is None else _by_role(following.members) - self._counted_now(gang)

    def _counted_now(self, gang: GangKey) -> Counter[str]:
        """The number of a gang's members that quotas count now, by role.

        While the gang is torn down for a change of its size, quotas count fewer and fewer of its members. If members
        that have gone still counted here, other gangs would take their quota, and none would be left for the next size.
        """
        known, held = self._state.gangs.get(gang), self._state.reservations.get(gang)
        if held is None:
            return Counter()
        if known is None or not known.status.is_being_undone:
            return _by_role(held.members)
        left = {pod.key for pod in self._state.pods_of(held) if not pod.has_ended}
        return Counter(member.role for member in held.by_rank() if member.pod in left)

    def _narrowed(self, gang: GangFact, spec: GangSpec, most: tuple[int, ...]) -> GangSpec:
        """The spec with at most these numbers of members by role; the same object if nothing changes."""
        sizes = [_at_most(role.sizes, count) for role, count in zip(spec.roles, most, strict=True)]
        if all(one is role.sizes for one, role in zip(sizes, spec.roles, strict=True)):
            return spec
        return self._state.remembered.of(
            gang,
            most,
            QuotaBounds._narrowed,
            lambda: replace(
                spec, roles=tuple(replace(role, sizes=one) for role, one in zip(spec.roles, sizes, strict=True))
            ),
        )

    def _sizes(self, gang: AcceptedGang) -> list[Sizes]:
        """The sizes of each role.

        A role with kept volumes has exactly the number of members with which they were made.
        """
        spec = gang.spec
        kept = kept_places(self._state.claims, gang)
        roles = [(role, places_of_role(spec, role, kept).size) for role in spec.roles]
        return [Sizes(minimum=count, maximum=count) if count else gang.planned_sizes(role) for role, count in roles]


def _has_all_members(gang: GangFact) -> bool:
    """Whether all members of the gang were created, and no others will join them."""
    return gang.status.is_true(Condition.PLACED) and gang.status.joining_size is None


def _by_role(members: Sequence[Members]) -> Counter[str]:
    found: Counter[str] = Counter()
    for entry in members:
        found[entry.role] += entry.count
    return found


def most_members(sizes: Sequence[Sizes], limits: Sequence[Limit]) -> tuple[int, ...] | QuotaShort:
    """The most members of each role within all limits. Roles get members beyond their fewest in the order of the roles.

    If even the fewest members exceed a limit, ``QuotaShort`` with this limit is returned. Limits that they would exceed
    even if nothing else used the quota are checked first.
    """
    counts = [one.least for one in sizes]
    for amount in ("hard", "left"):
        for limit in limits:
            if limit.taken(counts) > getattr(limit, amount):
                return QuotaShort(limit=limit, needed=sum(counts), wanted=limit.taken(counts))
    for number, one in enumerate(sizes):
        spare = [(limit.left - limit.taken(counts)) // limit.each[number] for limit in limits if limit.each[number]]
        counts[number] = int(one.between(one.least, counts[number] + min(spare, default=one.maximum))[-1])
    return tuple(counts)


def _fastest(work: Work | None, sizes: Sequence[Sizes]) -> int | None:
    """The smallest of the sizes with the shortest run time on equal idle nodes; None as in ``Narrowed``."""
    if work is None or len(sizes) != 1:
        return None
    [one] = sizes
    allowed = one.between(one.least, one.maximum)
    times = work.float_times(one.maximum)[allowed - 1]
    return int(allowed[times.argmin()])


def _at_most(sizes: Sizes, count: int) -> Sizes:
    return sizes if count < sizes.minimum or count >= sizes.maximum else replace(sizes, maximum=count)


def _without_later(spec: GangSpec) -> GangSpec:
    return replace(spec, roles=tuple(role for role in spec.roles if not role.is_later))
