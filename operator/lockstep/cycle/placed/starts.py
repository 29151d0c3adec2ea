"""How the members of a placed gang start: opens the gates of members that wait for others, or times out.

Pods show which gates are open, and the status shows since when the gang waits. So the operator can continue after a
restart.
"""

import asyncio
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from coschedule import GangKey
from lockstep.act.changing.pod_patches import OPEN_GATES, PodPatches
from lockstep.act.requests.progress import Progress, remembered_ranks
from lockstep.act.requests.services import Services
from lockstep.belief.holding.reservation import Reservation
from lockstep.facts.gang.gang import AcceptedGang, GangFact
from lockstep.facts.gates import Wait, wait_of
from lockstep.facts.pods.failure import Failure
from lockstep.facts.pods.pod import PodFact, PodPhase
from lockstep.facts.pods.pod_outcome import PodOutcome
from lockstep.facts.ranks import has_rank
from lockstep.facts.reasons import Condition, Reason
from lockstep.report.text.sentences import duration, listed


class _Member(NamedTuple):
    """One member. ``pod`` is None if the pod does not exist. ``runs`` is also true if the member has succeeded."""

    name: str
    role: str
    pod: PodFact | None
    is_up: bool
    runs: bool


class Starts:
    """Opens gates in time, finds attempts that have waited too long, and measures how far apart members started."""

    def __init__(self, services: Services) -> None:
        self._state = services.state
        self._monotonic = services.monotonic
        self._gates = PodPatches(services.client, services.state, OPEN_GATES)
        # The times by which all members have to be up, on the monotonic clock.
        self._deadlines: dict[GangKey, float] = {}
        self._timers: dict[GangKey, asyncio.TimerHandle] = {}
        self._first_seen: dict[GangKey, float] = {}

    def check(self, gang: GangFact, reservation: Reservation, now: float) -> Failure | None:
        """Open the gates of members that may go on. Returns why the attempt has failed, or None."""
        if not _has_gates(gang):
            return None
        members = list(self._members(gang, reservation))
        self._gates.make(gang.key, list(_to_open(members, _waits(gang))))
        return self._overdue(gang, members, now)

    def record(self, gang: GangKey, counts: Progress, now: float) -> None:
        """Record the time at which a member was first observed as running."""
        if counts.running:
            self._first_seen.setdefault(gang, now)

    def skew(self, gang: GangFact, reservation: Reservation, since: float) -> float:
        """The seconds between the starts of the gang's first and last member.

        ``since`` is the time at which all were observed as running. Start times come from the statuses of the pods; if
        one is missing, the observed times count.
        """
        began = [pod.started for pod in self._state.pods_of(reservation) if pod.started is not None]
        if len(began) == reservation.size:
            return max(began) - min(began)
        return since - self._first_seen.get(gang.key, since)

    def forget(self, gang: GangKey) -> None:
        """Drop a gang that was deleted, or that has ended, or whose attempt has ended."""
        self._gates.forget(gang)
        self._first_seen.pop(gang, None)
        self._call_off(gang)

    async def stop(self) -> None:
        """Stop all work and change nothing in the cluster."""
        for gang in list(self._deadlines):
            self._call_off(gang)
        await self._gates.stop()

    def _members(self, gang: GangFact, reservation: Reservation) -> Iterator[_Member]:
        there, departed = self._state.members(gang), self._state.departed(gang)
        succeeded = remembered_ranks(gang, reservation)
        for rank, role, _, key in reservation.by_rank():
            pod = there.get(key) or departed.get(key)
            has_succeeded = has_rank(succeeded, rank) or _has_succeeded(pod)
            runs = has_succeeded or (pod is not None and pod.phase is PodPhase.RUNNING)
            is_up = runs or (pod is not None and pod.is_up)
            yield _Member(key.name, role, pod if key in there else None, is_up, runs)

    def _overdue(self, gang: GangFact, members: Sequence[_Member], now: float) -> Failure | None:
        """Why the gang's start barrier has timed out; None if it has not, or if a member may already go on."""
        missing = [member.name for member in members if not member.is_up]
        if not missing or any(member.pod is not None and member.pod.may_go for member in members):
            self._call_off(gang.key)
            return None
        network = gang.spec.network if isinstance(gang, AcceptedGang) else None
        barrier = None if network is None else network.barrier_seconds
        if barrier is None or self._seconds_left(gang, barrier, now) > 0:
            return None
        what = "was" if len(missing) == 1 else "were"
        message = (
            f"{len(missing)} of {len(members)} members {what} not up {duration(barrier)} after all were bound: "
            f"{listed(missing)}"
        )
        return Failure(reason=Reason.START_BARRIER_TIMEOUT, message=message)

    def _seconds_left(self, gang: GangFact, barrier: float, now: float) -> float:
        """The seconds that the members still have. The gang is reconciled when they are over."""
        placed, clock = gang.status.condition(Condition.PLACED), self._monotonic()
        if gang.key not in self._deadlines:
            since = now if placed is None else placed.last_transition
            left = min(barrier, since + barrier - now)
            self._deadlines[gang.key] = clock + left
            changed = self._state.changes.reconcile
            self._timers[gang.key] = asyncio.get_running_loop().call_later(max(0.0, left), changed, gang.key)
        return self._deadlines[gang.key] - clock

    def _call_off(self, gang: GangKey) -> None:
        self._deadlines.pop(gang, None)
        timer = self._timers.pop(gang, None)
        if timer is not None:
            timer.cancel()


def _has_succeeded(pod: PodFact | None) -> bool:
    """Whether a member has succeeded, according to its pod as it is or was last observed."""
    return pod is not None and pod.outcome_once_gone is PodOutcome.SUCCEEDED


def _has_gates(gang: GangFact) -> bool:
    """Whether any member of the gang waits for others."""
    return any(wait.has_gate for wait in _waits(gang).values())


def _waits(gang: GangFact) -> Mapping[str, Wait]:
    """What the members of each role wait for, by name of role."""
    if not isinstance(gang, AcceptedGang):
        return {}
    return {role.name: wait_of(gang.spec.network, role.start_after) for role in gang.spec.roles}


def _to_open(members: Collection[_Member], waits: Mapping[str, Wait]) -> Iterator[PodFact]:
    """The pods of members that may go on and whose gates are still closed."""
    running = waits.keys() - {member.role for member in members if not member.runs}
    all_are_up = all(member.is_up for member in members)
    for member in members:
        wait = waits[member.role]
        if member.pod is None or member.pod.may_go or member.pod.has_ended or not wait.has_gate:
            continue
        if wait.is_over(all_are_up=all_are_up, running_roles=running):
            yield member.pod
