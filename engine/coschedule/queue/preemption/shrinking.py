"""Gangs that shrink instead of being evicted: victims that keep a part of their resources."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from coschedule.queue.problem.gangs import GangKey, PendingGang
from coschedule.queue.problem.running import Disrupted, Holding, RunningGang, SmallerSize, SmallerSizes
from coschedule.queue.problem.size_change import SizeChange, SizeReason


@dataclass(frozen=True, slots=True, kw_only=True)
class ShrinkingGang(RunningGang):
    """A gang that shrinks instead of being evicted: like ``of``, but it gives up only the resources in ``holds``.

    It keeps the resources in ``kept``. ``change`` is the change of its size. ``lost`` is the lost work, in
    member-seconds.
    """

    of: RunningGang
    kept: tuple[Holding, ...]
    change: SizeChange
    lost: float

    @property
    def going(self) -> int:
        """The number of members that leave for good."""
        return self.change.size_before - self.change.size_after

    @property
    def whole(self) -> RunningGang:
        """The gang before the change."""
        return self.of

    def lost_work(self, now: float) -> float:  # noqa: ARG002 - unlike an eviction, it loses no run time
        """The member-seconds of work that a change of the size costs.

        If all members start again, each loses the restart time. Otherwise each loses ``SmallerSizes.lost`` seconds.
        """
        return self.lost


def shrinks_of(gang: RunningGang) -> Iterator[ShrinkingGang]:
    """List the ways in which a gang may shrink instead of being evicted, from the smallest size on."""
    if gang.smaller is not None:
        for smaller in gang.smaller.sizes:
            yield _shrunk(gang, gang.smaller, smaller)


def shrinks_for(gang: PendingGang, victims: Iterable[RunningGang]) -> tuple[SizeChange, ...]:
    """Return the changes of size among the victims of a gang, by their keys."""
    shrinking = (victim for victim in victims if isinstance(victim, ShrinkingGang))
    return tuple(
        sorted(victim.change._replace(made_for=gang.key, because=_because(victim, gang)) for victim in shrinking)
    )


def widest(victims: Iterable[RunningGang]) -> list[RunningGang]:
    """Return, for each gang, the way in which it gives up most; each of its other ways gives up a part of that."""
    found: dict[GangKey, RunningGang] = {}
    for victim in victims:
        if victim.key not in found or victim.going > found[victim.key].going:
            found[victim.key] = victim
    return list(found.values())


def _shrunk(gang: RunningGang, smaller: SmallerSizes, to: SmallerSize) -> ShrinkingGang:
    given_up = tuple(_by_node(smaller.nodes[to.size :], smaller.request))
    return ShrinkingGang(
        key=gang.key,
        priority=gang.priority,
        queued_since=gang.queued_since,
        size=gang.size,
        since=gang.since,
        end=gang.end,
        grace=gang.grace,
        holds=given_up,
        disrupts=_disrupted(gang, len(smaller.nodes) - to.size) if smaller.keeps else gang.disrupts,
        of=gang,
        kept=tuple(_kept(gang.holds, given_up)),
        change=_change(gang, smaller, to),
        lost=(smaller.lost if smaller.keeps else smaller.restart_time) * gang.size,
    )


def _by_node(nodes: Iterable[int], request: tuple[int, ...]) -> Iterator[Holding]:
    for node, count in sorted(Counter(nodes).items()):
        yield Holding(node, tuple(count * amount for amount in request))


def _kept(holds: Iterable[Holding], given_up: Iterable[Holding]) -> Iterator[Holding]:
    """List what is left of ``holds`` on each node without the resources given up; no amount is negative.

    A gang may hold less on a node than it gives up there, as members that have ended no longer hold their requests.
    """
    less = {holding.node: holding.request for holding in given_up}
    for node, request in holds:
        gone = less.get(node, (0,) * len(request))
        kept = tuple(max(0, held - amount) for held, amount in zip(request, gone, strict=True))
        if any(kept):
            yield Holding(node, kept)


def _disrupted(gang: RunningGang, going: int) -> tuple[Disrupted, ...]:
    """Return an upper bound on the pods that count against each budget if ``going`` members leave and others stay."""
    return tuple(Disrupted(one.budget, min(one.pods, going)) for one in gang.disrupts)


def _because(victim: RunningGang, gang: PendingGang) -> SizeReason:
    return SizeReason.URGENT_GANG if victim.priority < gang.priority else SizeReason.FAIR_SHARE


def _change(gang: RunningGang, smaller: SmallerSizes, to: SmallerSize) -> SizeChange:
    return SizeChange(
        gang=gang.key,
        was=len(smaller.nodes),
        nodes=tuple(sorted(smaller.nodes[: to.size])),
        end=to.end,
        end_before=gang.end,
        is_open_ended=smaller.is_open_ended,
        because=SizeReason.URGENT_GANG,
        fixed=smaller.fixed,
    )
