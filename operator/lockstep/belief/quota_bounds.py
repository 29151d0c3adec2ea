"""How many members quotas let a gang have now: the one place that counts what is left of them.

What the API server has counted stands in the quotas' statuses. Members of gangs that are just being created are counted
here until watches show their pods. The API server decides all the same: it may know more.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import ClassVar, NamedTuple

from coschedule import Members, Sizes, Work
from lockstep.belief.kept_volumes import kept_places, places_of_role
from lockstep.belief.quota_claims import claimed
from lockstep.belief.quota_scopes import counted
from lockstep.belief.reservation import Reservation
from lockstep.belief.state import State
from lockstep.facts.gang import GangFact
from lockstep.facts.quota import QuotaFact
from lockstep.facts.reasons import Condition, Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """What a quota sets of one resource, what is ``left`` of it, and what one member of each role takes."""

    quota: str
    resource: str
    hard: int
    left: int
    each: tuple[int, ...]

    def taken(self, counts: Sequence[int]) -> int:
        """What so many members of each role take."""
        return sum(count * amount for count, amount in zip(counts, self.each, strict=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaShort:
    """The fewest members, ``needed`` of them, take ``wanted`` of a resource of which the quota has only ``left``."""

    reason: ClassVar[Reason] = Reason.QUOTA_EXCEEDED
    limit: Limit
    needed: int
    wanted: int


class Narrowed(NamedTuple):
    """Quota ``quota`` lets a gang have ``most`` of the ``maximum`` members that it may have by its spec.

    By its run times ``fastest`` of them would be fastest, which is None where it has none, or several roles.
    """

    quota: str
    most: int
    maximum: int
    fastest: int | None


class Bound(NamedTuple):
    """The gang as quotas let it be planned, and which one narrows it, if one does."""

    gang: GangFact
    narrowed: Narrowed | None


class QuotaBounds:
    """What quotas allow, as belief has it at this moment: made anew for each plan and each start."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._in_creation = cache(self._members_in_creation)

    def bound(self, gang: GangFact) -> Bound | QuotaShort:
        """The gang with no more members than quotas allow.

        One that still holds nodes is as it was: what it gives back is still counted.
        """
        spec = gang.spec
        assert spec is not None, "a refused gang is not planned"
        limits = [] if gang.key in self._state.reservations else self.limits(gang)
        if not limits:
            return Bound(gang, None)
        sizes = self._sizes(gang)
        most = most_members(sizes, limits)
        if isinstance(most, QuotaShort):
            return most
        roles = tuple(
            replace(role, sizes=_at_most(role.sizes, count)) for role, count in zip(spec.roles, most, strict=True)
        )
        maximum, fastest = sum(one.maximum for one in sizes), _fastest(spec.work, sizes)
        tightest = min(limits, key=lambda limit: (limit.left - limit.taken(most)) / max(limit.each))
        is_narrowed = sum(most) < (maximum if fastest is None else fastest)
        narrowed = Narrowed(tightest.quota, sum(most), maximum, fastest) if is_narrowed else None
        return Bound(replace(gang, spec=replace(spec, roles=roles)), narrowed)

    def allow(self, gang: GangFact, members: Sequence[Members]) -> bool:
        """Whether quotas have room for these members now."""
        assert gang.spec is not None, "a refused gang is not planned"
        by_role: Counter[str] = Counter()
        for entry in members:
            by_role[entry.role] += entry.count
        counts = [by_role[role.name] for role in gang.spec.roles]
        return all(limit.taken(counts) <= limit.left for limit in self.limits(gang))

    def limits(self, gang: GangFact) -> list[Limit]:
        """What quotas set of what the gang's members take."""
        quotas = self._state.quotas.of(gang.key.namespace)
        return [limit for quota in quotas for limit in self._limits_of(quota, gang)]

    def _limits_of(self, quota: QuotaFact, gang: GangFact) -> Iterator[Limit]:
        each = self._counted(quota, gang)
        for resource, hard, used in quota.amounts:
            amounts = tuple(role.get(resource, 0) for role in each.values())
            if any(amounts):
                left = hard - used - self._taken_by_others(quota, resource)
                yield Limit(quota=quota.key.name, resource=resource, hard=hard, left=left, each=amounts)

    def _counted(self, quota: QuotaFact, gang: GangFact) -> Mapping[str, Mapping[str, int]]:
        roles = gang.spec.roles if gang.spec else ()
        state = self._state
        return {
            role.name: {**counted(quota, gang, role, state.priorities), **claimed(quota, gang, role, state.claims)}
            for role in roles
        }

    def _taken_by_others(self, quota: QuotaFact, resource: str) -> int:
        """What members take that are about to be created, and that nobody has counted yet."""
        return sum(
            count * self._counted(quota, gang).get(role, {}).get(resource, 0)
            for gang, counts in self._in_creation(quota.key.namespace)
            for role, count in counts.items()
        )

    def _members_in_creation(self, namespace: str) -> list[tuple[GangFact, Mapping[str, int]]]:
        held = (one for one in self._state.reservations.values() if one.gang.namespace == namespace)
        gangs = ((self._state.gangs.get(one.gang), one) for one in held)
        return [
            (gang, self._unseen(gang, one))
            for gang, one in gangs
            if gang is not None and not (gang.status.is_true(Condition.PLACED) or gang.status.is_being_undone)
        ]

    def _unseen(self, gang: GangFact, reservation: Reservation) -> Mapping[str, int]:
        """How many members of each role no watch has shown yet."""
        departed, pods = self._state.departed(gang), self._state.pods
        ranks = zip(reservation.pod_keys(), reservation.roles_by_rank(), strict=True)
        return Counter(role for pod, role in ranks if pod not in pods and pod not in departed)

    def _sizes(self, gang: GangFact) -> list[Sizes]:
        """The sizes of each role; where its members have volumes, it has as many as these."""
        assert gang.spec is not None, "a refused gang is not planned"
        kept = kept_places(self._state.claims, gang)
        places = [len(places_of_role(gang.spec, role, kept)) for role in gang.spec.roles]
        roles = zip(gang.spec.roles, places, strict=True)
        return [Sizes(minimum=count, maximum=count) if count else role.sizes for role, count in roles]


def most_members(sizes: Sequence[Sizes], limits: Sequence[Limit]) -> tuple[int, ...] | QuotaShort:
    """The most members of each role that suit all limits, the roles served in their order beyond what each needs.

    Where not even the fewest do, the limit that they break: first one that they break whatever others use.
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
    """The size with the shortest run time on idle nodes that are alike, the smallest of equals."""
    if work is None or len(sizes) != 1:
        return None
    [one] = sizes
    allowed = one.between(one.least, one.maximum)
    times = work.float_times(one.maximum)[allowed - 1]
    return int(allowed[times.argmin()])


def _at_most(sizes: Sizes, count: int) -> Sizes:
    return sizes if count < sizes.minimum or count >= sizes.maximum else replace(sizes, maximum=count)
