"""The groups with fair shares: their namespaces, their use, and which of their gangs comes next."""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby, islice

from coschedule import GangKey, ShareGroup, TurnsByUse, charged_seconds
from lockstep.api.versions import is_older
from lockstep.belief.gangs.age import in_queue_since
from lockstep.belief.shares.accounts import MOST_AHEAD_SECONDS, Accounts, AttemptId, HeldPart, decayed
from lockstep.belief.shares.attempt_losses import lost_since, lost_since_by_giving_way
from lockstep.belief.shares.held_attempts import HeldAttempt, HeldAttempts
from lockstep.facts.cluster.node import NodeFact
from lockstep.facts.fair_share import CountedUse, FairShare, NamedGroup
from lockstep.facts.gang.gang import AcceptedGang, GangFact
from lockstep.facts.reasons import Reason

# How many gangs of each priority are put in order. A plan depends on no later gang, and each costs some microseconds.
_MOST_DEALT = 1_250
# The shortest time between two charges, in seconds: it limits how long charges keep the event loop busy. Attempts that
# are shorter may cost nothing.
_PAUSE_SECONDS = 1.0

_NO_GROUPS: tuple[NamedGroup, ...] = ()


class GroupSharing:
    """The FairShare in force and the accounts of its groups. ``changed`` is called when groups have changed.

    Only the process that leads keeps accounts, from :meth:`begin` on. Other processes use the status of the FairShare.
    ``preemptor_of`` returns the gang to which a gang gives way, if that gang exists.
    """

    def __init__(
        self,
        nodes: Mapping[str, NodeFact],
        gangs: Mapping[GangKey, GangFact],
        attempts: HeldAttempts,
        preemptor_of: Callable[[GangKey], GangKey | None],
        changed: Callable[[], None],
    ) -> None:
        self.capacity = attempts.capacity
        self._nodes = nodes
        self._gangs = gangs
        self._attempts = attempts
        self._preemptor_of = preemptor_of
        self._changed = changed
        self._fact: FairShare | None = None
        self._group_of: dict[str, str] = {}
        self._accounts: Accounts | None = None
        self._seen: dict[AttemptId, HeldAttempt] = {}
        # By attempt that the cluster took (``attempt_losses.py``): the time since which it has held nodes in vain.
        self._lost: dict[AttemptId, float] = {}
        self._part_of_group: dict[str, float] = {}

    def apply(self, fact: FairShare) -> None:
        """Add or update the FairShare; a version older than the cached one changes nothing."""
        before = self._fact
        is_same = before is not None and before.uid == fact.uid
        if before is not None and is_same and is_older(fact.resource_version, before.resource_version):
            return
        self._fact = fact
        if before is None or not is_same or (before.groups, before.reclaims) != (fact.groups, fact.reclaims):
            self._group_of = {name: group.name for group in fact.groups for name in group.namespaces}
            self._changed()

    def remove(self, uid: str) -> None:
        """Remove the FairShare: there are no groups any more, and their use is forgotten."""
        if self._fact is not None and self._fact.uid == uid:
            self._fact, self._accounts, self._group_of = None, None, {}
            self._changed()

    @property
    def fact(self) -> FairShare | None:
        """The FairShare in force."""
        return self._fact

    @property
    def named(self) -> tuple[NamedGroup, ...]:
        """The groups; the last one has all namespaces that no group names. Empty without a FairShare."""
        return _NO_GROUPS if self._fact is None else self._fact.groups

    @property
    def reclaims(self) -> bool:
        """Whether gangs are evicted for groups that hold less than their share."""
        return self._fact is not None and self._fact.reclaims

    def holds_less_than_its_share(self, namespace: str) -> bool:
        """Whether the group of a namespace held less than its share when it was last charged; False without groups."""
        group = next((one for one in self.named if one.name == self.group_of(namespace)), None)
        if group is None:
            return False
        return self._part_of_group.get(group.name, 0.0) * sum(one.weight for one in self.named) < group.weight

    def group_of(self, namespace: str) -> str:
        """The group of a namespace; there must be groups."""
        return self._group_of.get(namespace, self.named[-1].name)

    def begin(self, counted: CountedUse | None, now: float) -> None:
        """Keep accounts from now on, beginning with the use in the last written status."""
        self.capacity.update(now)
        # A status may be one second ahead. If it is a minute ahead, it is from before the clock was set back.
        since = now if counted is None or counted.at > now + MOST_AHEAD_SECONDS else counted.at
        used = {} if counted is None else counted.by_group
        self._seen = self._attempts.all()
        held = self._held(self._seen)
        self._accounts = Accounts(used, since, {one: each for one, each in held.items() if each.start <= since})
        self._accounts.advance(now, held, {})

    def gang_applied(self, gang: GangFact) -> None:
        """Record the loss of a charged attempt, if the gang's status shows one: the next status may not show it."""
        attempt = AttemptId(gang.uid, gang.status.attempt)
        if self._accounts is not None and attempt in self._seen:
            self._record_lost(attempt, self._lost_since(attempt, self._accounts.at))

    def gives_way(self, gang: GangFact, reason: Reason) -> None:
        """Record that the gang's attempt ends for a gang of another group, as the status may say so too late."""
        attempt = AttemptId(gang.uid, gang.status.attempt)
        if self._accounts is None or self._gives_way_to_own_group(gang.key):
            return
        start = self._seen[attempt].start if attempt in self._seen else -math.inf
        self._record_lost(attempt, lost_since_by_giving_way(gang, reason, start, self._accounts.at))

    @property
    def accounts(self) -> Accounts | None:
        """The accounts of the process that leads; None before it has begun, or without groups."""
        return self._accounts

    def advance(self, now: float) -> None:
        """Charge the groups for what they hold, at most once a second."""
        if self._accounts is None or not 0 <= now - self._accounts.at < _PAUSE_SECONDS:
            self.charge(now)

    def charge(self, now: float) -> None:
        """Charge the groups for what they hold up to now."""
        if self._fact is None:
            return
        self.capacity.update(now)
        if self._accounts is None:
            return
        seen = self._attempts.all()
        gone = self._accounts.open_attempts() - seen.keys()
        for one in gone & self._seen.keys():
            self._record_lost(one, self._lost_since(one, now))
        self._accounts.advance(now, self._held(seen), self._lost)
        self._seen = seen
        self._lost = {one: since for one, since in self._lost.items() if one in seen}

    def used(self, now: float) -> dict[str, float]:
        """The decayed use of each group, in seconds of all nodes; 0 for a group without use."""
        known: Mapping[str, float] = {}
        if self._accounts is not None:
            known = self._accounts.used(now)
        elif self._fact is not None and self._fact.counted is not None:
            counted = self._fact.counted
            known = {group: decayed(used, now - counted.at) for group, used in counted.by_group.items()}
        return {group.name: known.get(group.name, 0.0) for group in self.named}

    def groups(self, namespaces: Iterable[str], now: float) -> tuple[ShareGroup, ...]:
        """The groups in the form that plans need. A group has those of its namespaces that are in ``namespaces``."""
        used, of_group = self.used(now), dict[str, list[str]]()
        for name in sorted({name for name in namespaces if name in self._group_of}):
            of_group.setdefault(self._group_of[name], []).append(name)
        return tuple(
            ShareGroup(
                name=group.name,
                weight=float(group.weight),
                used=used[group.name],
                namespaces=tuple(of_group.get(group.name, ())),
            )
            for group in self.named
        )

    def dealt(
        self, ordered: list[AcceptedGang], priority_of: Callable[[GangFact], int], now: float
    ) -> list[AcceptedGang]:
        """The gangs in the order of the queue; ``ordered`` has their order without groups.

        Each gang is charged for its fewest members at the stated run times. Only the first ``_MOST_DEALT`` gangs of
        each priority are put in order; later gangs keep the order of ``ordered``.
        """
        if self._fact is None or len({self.group_of(gang.key.namespace) for gang in ordered}) <= 1:
            return ordered
        # The charges of gangs are added to ``used``, so they also count when gangs of lower priorities are ordered.
        used, dealt = list(self.used(now).values()), list[AcceptedGang]()
        for _, gangs in groupby(ordered, key=priority_of):
            dealt += self._of_priority(list(gangs), used, now)
        return dealt

    def _of_priority(self, gangs: list[AcceptedGang], used: list[float], now: float) -> Iterator[AcceptedGang]:
        index = {group.name: number for number, group in enumerate(self.named)}
        numbers = [index[self.group_of(gang.key.namespace)] for gang in gangs]
        since = [in_queue_since(gang, now) for gang in gangs]
        turns = TurnsByUse(used, [group.weight for group in self.named], zip(numbers, since, gangs, strict=True))
        first = set[GangKey]()
        for gang in islice(turns, _MOST_DEALT):
            charge = self._expected_charge(gang)
            turns.charge(charge)
            used[index[self.group_of(gang.key.namespace)]] += charge
            first.add(gang.key)
            yield gang
        yield from (gang for gang in gangs if gang.key not in first)

    def _expected_charge(self, gang: AcceptedGang) -> float:
        spec = gang.spec
        seconds = math.inf if spec.work is None else spec.work.float_time(max(1, spec.least_working))
        part = self.capacity.part((role.request, role.sizes.least) for role in spec.roles)
        return part * charged_seconds(seconds)

    def _held(self, attempts: Mapping[AttemptId, HeldAttempt]) -> dict[AttemptId, HeldPart]:
        found = {
            attempt: HeldPart(self.group_of(held.gang.namespace), held.part, held.start)
            for attempt, held in attempts.items()
        }
        self._part_of_group = defaultdict[str, float](float)
        for one in found.values():
            self._part_of_group[one.group] += one.part
        return found

    def _record_lost(self, attempt: AttemptId, since: float | None) -> None:
        """Record the loss of an attempt. An earlier record stays: later statuses are from after the attempt's end."""
        if since is not None:
            self._lost.setdefault(attempt, since)

    def _lost_since(self, attempt: AttemptId, now: float) -> float | None:
        """The time since which an attempt has held nodes in vain; None if the cluster did not take it.

        If the attempt gives way to a gang of its own group, the cluster did not take it.
        """
        held = self._seen[attempt]
        if self._gives_way_to_own_group(held.gang):
            return None
        return lost_since(attempt, held, self._gangs.get(held.gang), self._nodes, now)

    def _gives_way_to_own_group(self, gang: GangKey) -> bool:
        preemptor = self._preemptor_of(gang)
        return preemptor is not None and self.group_of(preemptor.namespace) == self.group_of(gang.namespace)
