"""Whether a gang can start if other gangs are evicted or shrink, decided by the plan that would follow."""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from coschedule.queue.keeping.memory import with_own_promises
from coschedule.queue.plan import plan_and_count
from coschedule.queue.preemption.shrinking import ShrinkingGang
from coschedule.queue.preemption.worlds import awaiting, with_gangs, with_started, without
from coschedule.queue.problem.decisions import Decision, Placement, Plan, Unplaceable
from coschedule.queue.problem.gangs import GangKey, PendingGang
from coschedule.queue.problem.promise_kinds import Promises
from coschedule.queue.problem.refusals import Reason
from coschedule.queue.problem.running import RunningGang
from coschedule.queue.problem.snapshot import Snapshot
from coschedule.queue.search.effort import LEAST_COMBINATIONS
from coschedule.queue.shares.dealing import planning_order

WORTH_SECONDS = 30.0
"""Gangs give way only if another gang starts more than these seconds sooner: the usual grace period of pods."""
# If a search plans only some of the gangs in front, it can plan this number of times.
_FEW_OF_EFFORT = 16


class PlanningEffort:
    """The number of gangs that may still be planned in the search for victims; it bounds the time for failed tries.

    Steps of planning that are not free (``queue.search.effort``) count too: every ``LEAST_COMBINATIONS`` of them count
    as one more gang. ``tried`` has the gangs for which some effort was spent. ``is_cut_short`` means: some gang was not
    tried, since the effort or the tries were used up.
    """

    def __init__(self, gangs: int) -> None:
        self._left = self._given = gangs
        self._reserved = dict[str, int]()
        self.tried = set[GangKey]()
        self.is_cut_short = False

    def reserve(self, tenants: Collection[str]) -> None:
        """Reserve half of the effort in equal parts for these tenants, if there are several.

        So if no gang can give way to the gangs of one tenant, their search still leaves effort to gangs of other
        tenants. A tenant of the previous call keeps what is left of its part.
        """
        part = self._given // 2 // len(tenants) if len(tenants) > 1 else 0
        self._reserved = {tenant: self._reserved.get(tenant, part) for tenant in tenants}

    def share(self, tenant: str) -> "PlanningEffort":
        """Return half of the effort that the tenant may still use, for one of its gangs.

        So some effort is left for gangs behind it.
        """
        return PlanningEffort(self._left_for(tenant) // 2)

    def take_back(self, share: "PlanningEffort", gang: GangKey) -> None:
        """Subtract the effort that a share for the gang has used."""
        self._count(share.used, gang.namespace)
        if share.used:
            self.tried.add(gang)

    def allows_one_of(self, tenant: str) -> bool:
        """Whether a share of the tenant may still plan a gang; if not, the search is cut short."""
        is_allowed = self._left_for(tenant) // 2 > 0
        self.is_cut_short |= not is_allowed
        return is_allowed

    def _count(self, gangs: int, tenant: str) -> None:
        self._left -= gangs
        self._reserved[tenant] = max(0, self._reserved.get(tenant, 0) - gangs)

    def _left_for(self, tenant: str) -> int:
        others = sum(left for one, left in self._reserved.items() if one != tenant)
        return max(0, self._left - others)

    def suffices_for(self, gangs: int) -> bool:
        """Whether so many gangs may still be planned."""
        return gangs <= self._left

    def spend(self, gangs: int) -> bool:
        """Count ``gangs`` gangs as planned; if the effort left is less, use it up and return False."""
        if not self.suffices_for(gangs):
            self._left = 0
            return False
        self._left -= gangs
        return True

    def spend_in_vain(self, gangs: int, tenant: str) -> None:
        """Count ``gangs`` gangs of a plan that helped no gang of the tenant, at most a quarter of the whole effort.

        So in a queue of any length, a gang behind may still try. The effort that is reserved for other tenants stays.
        """
        self._count(min(gangs, -(-self._given // 4), self._left_for(tenant)), tenant)

    @property
    def left(self) -> int:
        """The gangs that may still be planned."""
        return self._left

    @property
    def used(self) -> int:
        """The gangs planned so far."""
        return self._given - self._left

    @property
    def is_spent(self) -> bool:
        """Whether no effort is left."""
        return self._left == 0


class _Starts(NamedTuple):
    """The start of each gang of a plan, inf without a placement, and the number of steps ``beyond`` the free ones."""

    starts: dict[GangKey, float]
    beyond: int


class Landing:
    """Plans one gang without some running gangs, or with these at smaller sizes.

    Gangs in front that start now keep their placements. No gang of its priority or above may start later than planned.
    A gang that shrinks ends later. This may break a promise only if an eviction of the gang would break it, too.
    Hopeless gangs are left out, since they take no room.

    Many gangs may wait. If two plans of the gangs behind would cost more than the effort, then ``is_worth`` leaves them
    out. If even one plan of the gangs in front would, it plans only the first of these to start. In these cases the
    plan after the choice of victims shows what happens to the others (``confirms``).
    """

    def __init__(self, snapshot: Snapshot, made: Plan, gang: PendingGang, effort: PlanningEffort) -> None:
        if snapshot.promises is Promises.SLACK:
            # Less urgent gangs may be delayed as far as their promises allow, not only until their planned starts.
            snapshot = with_own_promises(snapshot, made, below=gang.priority)
        ordered = planning_order(snapshot)
        decisions = {decision.gang: decision for decision in made.decisions}
        ordered = [one for one in ordered if not is_hopeless(decisions[one.key])]
        place = ordered.index(gang)
        self._snapshot = snapshot
        self._in_front = [decisions[one.key] for one in ordered[:place]]
        starting = self._in_front_by(snapshot.now)
        started = {placement.gang for placement in starting}
        self._gang = gang
        self._effort = effort
        self.world = with_started(snapshot, starting)
        self._up_to_it = [one for one in ordered[: place + 1] if one.key not in started]
        self._starts = {key: start_of(decision) for key, decision in decisions.items()}
        self._planned_first = self._up_to_it if effort.suffices_for(len(self._up_to_it)) else self._few_up_to_it()
        self._behind = self._that_could_be_delayed(ordered[place + 1 :])
        self._after_it = ordered[place + 1 :]
        self._promised = [one for one in self._after_it if self._starts[one.key] <= one.promised < math.inf]
        self._leaves_out_behind = not effort.suffices_for(2 * (len(self._up_to_it) + len(self._behind)))
        self._leaves_out_promises = not effort.suffices_for(2 * (len(self._up_to_it) + len(self._after_it)))

    @property
    def is_given_up(self) -> bool:
        """Whether the effort of the search is spent."""
        return self._effort.is_spent

    def may_help(self, victim: RunningGang) -> bool:
        """Whether an eviction may be worth it: the victim would be gone soon enough before the gang's planned start."""
        return self._starts[self._gang.key] - victim.gone_by(self.world.now) > WORTH_SECONDS

    def after_those_in_front(self, by: float) -> Snapshot:
        """Return the snapshot after all starts in front of the gang that are planned for ``by`` or earlier."""
        return with_started(self._snapshot, self._in_front_by(by))

    def is_worth(self, victims: Sequence[RunningGang]) -> bool:
        """Whether the gang starts as soon as the victims have left, without delaying a gang of its priority or above.

        It must also start more than ``WORTH_SECONDS`` sooner than planned.
        """
        if not self._lands(victims, self._planned_first):
            return False
        is_checked = self._behind and not self._leaves_out_behind
        if is_checked and not self._lands(victims, [*self._up_to_it, *self._behind]):
            return False
        return self._leaves_out_promises or not self._breaks_a_promise(victims)

    def confirms(self, victims: Sequence[RunningGang], made: Plan) -> bool:
        """Whether the victims also pass the checks that ``is_worth`` left out.

        ``made`` is the plan of the snapshot ``after`` these victims.
        """
        starts = {decision.gang: start_of(decision) for decision in made.decisions}
        checked = {one.key: starts[one.key] for one in (*self._up_to_it, *self._behind)}
        if self._leaves_out_behind and not self._is_landing(victims, checked):
            return False
        late = self._late(starts) if self._leaves_out_promises and _may_break_promises(victims) else set[GangKey]()
        return not late or late <= self._late(self._made_after(_whole(victims), self._with_all_after_it).starts)

    def after(self, victims: Sequence[RunningGang], gangs: Iterable[PendingGang] | None = None) -> Snapshot:
        """Return the snapshot in which the victims give way, and the gang waits until they have left.

        If ``gangs`` are given, only these gangs wait in the snapshot.
        """
        waiting = self.world.gangs if gangs is None else gangs
        return awaiting(with_gangs(without(self.world, victims), waiting), self._gang.key, self._gone_by(victims))

    def _lands(self, victims: Sequence[RunningGang], gangs: Sequence[PendingGang]) -> bool:
        return self._is_landing(victims, self._planned(victims, gangs))

    def _is_landing(self, victims: Sequence[RunningGang], starts: dict[GangKey, float]) -> bool:
        """Whether the gang starts as soon as the victims have left, soon enough, and none of the others is delayed."""
        mine = starts[self._gang.key]
        is_in_time = mine <= max(math.nextafter(self.world.now, math.inf), self._gone_by(victims))
        return is_in_time and self._starts[self._gang.key] - mine > WORTH_SECONDS and not self._delays_one_of(starts)

    def _gone_by(self, victims: Sequence[RunningGang]) -> float:
        return max(victim.gone_by(self.world.now) for victim in victims)

    def _in_front_by(self, time: float) -> list[Placement]:
        return [one for one in self._in_front if isinstance(one, Placement) and one.start <= time]

    def _few_up_to_it(self) -> list[PendingGang]:
        """List the first gangs in front to start, so few that several plans of them are possible, and the gang."""
        [*in_front, gang] = self._up_to_it
        few = sorted(in_front, key=lambda one: self._starts[one.key])[: self._effort.left // _FEW_OF_EFFORT]
        kept = {one.key for one in few}
        return [*(one for one in in_front if one.key in kept), gang]

    def _that_could_be_delayed(self, behind: Sequence[PendingGang]) -> list[PendingGang]:
        """List the gangs of the same priority behind the gang, up to the last one with a planned start."""
        equal = [one for one in behind if one.priority == self._gang.priority]
        last = max((place for place, one in enumerate(equal) if self._starts[one.key] < math.inf), default=-1)
        return equal[: last + 1]

    def _breaks_a_promise(self, victims: Sequence[RunningGang]) -> bool:
        """Whether a gang is late if victims shrink, but would not be late if these victims were evicted.

        The result is also True if the effort does not suffice to find this out.
        """
        if not (self._promised and _may_break_promises(victims)):
            return False
        late = self._late(self._planned(victims, self._with_all_after_it))
        if not late:
            return self.is_given_up
        return not late <= self._late(self._planned(_whole(victims), self._with_all_after_it)) or self.is_given_up

    @property
    def _with_all_after_it(self) -> list[PendingGang]:
        return [*self._up_to_it, *self._after_it]

    def _late(self, starts: Mapping[GangKey, float]) -> set[GangKey]:
        """Return the gangs behind that start after their promise, but would start by it without preemption."""
        return {gang.key for gang in self._promised if gang.promised < starts[gang.key]}

    def _planned(self, victims: Sequence[RunningGang], gangs: Sequence[PendingGang]) -> dict[GangKey, float]:
        """Return the start of each of these gangs if the victims give way; inf without a placement or effort."""
        if not self._effort.spend(len(gangs)):
            return {gang.key: math.inf for gang in gangs}
        made = self._made_after(victims, gangs)
        self._effort.spend(made.beyond // LEAST_COMBINATIONS)
        return made.starts

    def _made_after(self, victims: Sequence[RunningGang], gangs: Sequence[PendingGang]) -> "_Starts":
        made = plan_and_count(self.after(victims, gangs), rescue=lambda *_: None)
        return _Starts({decision.gang: start_of(decision) for decision in made.plan.decisions}, made.beyond)

    def _delays_one_of(self, starts: dict[GangKey, float]) -> bool:
        return any(start > self._starts[key] for key, start in starts.items())


def _may_break_promises(victims: Iterable[RunningGang]) -> bool:
    """Whether a victim shrinks, and so ends later.

    If all victims are evicted, promises to less urgent gangs may break. This is allowed, so it needs no check.
    """
    return any(isinstance(victim, ShrinkingGang) for victim in victims)


def _whole(victims: Iterable[RunningGang]) -> list[RunningGang]:
    """Return the victims, where those that shrink are evicted instead."""
    return [victim.whole for victim in victims]


def start_of(decision: Decision) -> float:
    """Return the start of the gang; inf without a placement."""
    return decision.start if isinstance(decision, Placement) else math.inf


def is_hopeless(decision: Decision) -> bool:
    """Return whether evictions can't help a gang: it does not fit on empty nodes, or its constraints are too long."""
    if not isinstance(decision, Unplaceable):
        return False
    return decision.fits_empty is False or decision.reason is Reason.CONSTRAINTS_TOO_LONG
