"""Chooses waiting gangs that are planned ahead, so that users see when these gangs are likely to start.

These are gangs that wait for other gangs, and owners in queues of Kueue that wait for a size. Such a gang takes no
nodes from others: it is planned behind all gangs that may run, and it gets no promise. The operator keeps only the
start estimate and the size of its placement. The next plan computes the rest anew.
"""

from collections import Counter
from collections.abc import Callable, Collection, Generator, Iterable, Mapping
from dataclasses import dataclass
from operator import itemgetter
from typing import assert_never

from coschedule import Behind, GangKey, PendingGang
from lockstep.belief.common.steps import Steps
from lockstep.belief.order.predecessors import key_of
from lockstep.belief.state import State
from lockstep.facts.gang.after import Satisfaction, When
from lockstep.facts.gang.gang import AcceptedGang
from lockstep.facts.reasons import Condition, Reason
from lockstep.snapshot.holders.endings import expected_end
from lockstep.snapshot.holders.pod_gang_releases import pod_gang_end_of

# The pieces of work that ``Steps`` counts for one gang, which waits for a few others.
_PIECES_OF_GANG = 10

MOST_AHEAD = 100
"""The most gangs that are planned ahead in one plan, of all namespaces in turn.

The others get no likely start until earlier gangs of their namespace have ended.
"""

# The most owners in queues of Kueue for one plan. The others have their turn in the next plans.
_MOST_QUEUED = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class AheadGang:
    """A gang that is planned ahead, and that starts at ``not_before`` at the earliest.

    It also starts after the ends of the gangs in ``ends`` and the starts of the gangs in ``starts``. All of these gangs
    are in the same plan.
    """

    gang: AcceptedGang
    not_before: float
    ends: tuple[GangKey, ...]
    starts: tuple[GangKey, ...]

    def behind(self, pending: PendingGang) -> Behind:
        """The gang for the planner, which knows it as ``pending``."""
        return Behind(pending, self.ends, self.starts)


def choosing_ahead(
    state: State, awaiting: Iterable[AcceptedGang], planned: Collection[GangKey], now: float
) -> Generator[None, None, Mapping[GangKey, AheadGang]]:
    """Choose, in steps, gangs whose predecessors hold nodes, are ``planned``, or are chosen already; at most 100."""
    found, steps = dict[GangKey, AheadGang](), Steps()
    for gang in (yield from _in_turn(awaiting, steps)):
        if len(found) == MOST_AHEAD:
            break
        if steps.are_due(_PIECES_OF_GANG):
            yield
        one = _ahead(state, gang, lambda key: key in planned or key in found, now)
        if one is not None:
            found[gang.key] = one
    return found


def queued_ahead(state: State, now: float) -> Mapping[GangKey, AheadGang]:
    """The gangs of owners in queues of Kueue whose turn it is to get a size. These gangs do not exist yet."""
    gangs = state.pod_gangs.queued_owners.take_turns(_MOST_QUEUED)
    return {
        one.key: AheadGang(gang=one, not_before=now, ends=(), starts=()) for one in gangs if one.key not in state.gangs
    }


def _in_turn(gangs: Iterable[AcceptedGang], steps: Steps) -> Generator[None, None, list[AcceptedGang]]:
    """The gangs of all namespaces in turn, those of each namespace in their order."""
    counts, numbered = Counter[str](), list[tuple[int, AcceptedGang]]()
    for gang in gangs:
        if steps.are_due(1):
            yield
        numbered.append((counts[gang.key.namespace], gang))
        counts[gang.key.namespace] += 1
    return [gang for _, gang in sorted(numbered, key=itemgetter(0))]


def _ahead(state: State, gang: AcceptedGang, is_planned: Callable[[GangKey], bool], now: float) -> AheadGang | None:
    """The gang as one that is planned ahead, with the gangs that it waits for.

    None if a time that it waits for is unknown, or if its status does not yet say that it waits for others.
    """
    planned = gang.status.condition(Condition.PLANNED)
    if planned is None or planned.reason != Reason.AWAITS_OTHERS:
        return None
    earliest, ends, starts = now, list[GangKey](), list[GangKey]()
    for asked in gang.unmet:
        key, is_start = key_of(gang, asked), _is_start(asked.when)
        if is_start is None or gang.status.answer(asked) is Satisfaction.NEVER:
            return None
        if is_planned(key):
            (starts if is_start else ends).append(key)
            continue
        known = _known_time(state, key, now, is_start=is_start)
        if known is None:
            return None
        earliest = max(earliest, known)
    return AheadGang(gang=gang, not_before=earliest, ends=tuple(ends), starts=tuple(starts))


def _is_start(when: When) -> bool | None:
    """Whether the gang waits for the predecessor's start, not for its end.

    None if it waits for a failure, which no plan expects.
    """
    match when:
        case When.STARTED:
            return True
        case When.SUCCEEDED | When.ENDED:
            return False
        case When.FAILED:
            return None
        case _:
            assert_never(when)


def _known_time(state: State, key: GangKey, now: float, *, is_start: bool) -> float | None:
    """The time at which a gang is expected to start (``is_start``) or to end.

    The start of a gang with a reservation is ``now``. For a Gang without a reservation, both times are the expected end
    of its pods. The result is None if the gang holds no nodes, or if its end is unknown.
    """
    held, pods = state.reservations.get(key), state.pod_gangs.objects.get(key)
    if held is not None:
        return now if is_start else expected_end(state, held, now)
    end = None if pods is None else pod_gang_end_of(state, pods, now)
    return None if end is None else end.end
