"""The records of gangs that wait to be handed over. Several changes of a gang are merged into one record.

The number of records is bounded. If there are too many, the namespace with the most records loses its oldest record.
"""

from collections import OrderedDict
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import replace

from coschedule import GangKey
from lockstep.belief.holding.reservation import Reservation, requests_of
from lockstep.belief.records.stretches import (
    KindOf,
    ended_at,
    held_key,
    last_key,
    lost_work,
    preemptor_of_end,
    reason_of_end,
    stretch_of,
)
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.keys import is_pod_gang, object_name
from lockstep.facts.pods.pod import Request
from lockstep.facts.reasons import Condition, Reason
from lockstep.facts.records.gang_record import (
    LONGEST_TEXT,
    MOST_STRETCHES,
    GangOutcome,
    GangRecord,
    Stretch,
    merged,
)
from lockstep.facts.runs.sweep_keys import sweep_name

MOST_WAITING = 40_000
"""The largest number of waiting records and stretches together. Each takes about half a KiB."""


class GangRecords:
    """The records of gangs. The process that leads takes them and hands them over.

    Nothing is recorded before :meth:`begin`. ``kind_of`` returns the kind of a node, ``group_of`` the group of a
    namespace. ``reserved`` returns the reservation of a gang, if it has one.
    """

    def __init__(
        self, kind_of: KindOf, group_of: Callable[[str], str], reserved: Callable[[GangKey], Reservation | None]
    ) -> None:
        self._kind_of = kind_of
        self._group_of = group_of
        self._reserved = reserved
        self._is_on = False
        self._has_users = False
        self._waiting: OrderedDict[str, OrderedDict[str, GangRecord]] = OrderedDict()
        self._count = 0
        # Gangs that already existed when this process began to lead, and that it has not recorded yet.
        self._unrecorded: dict[GangKey, None] = {}
        # Gangs that are gone, by UID. The next call of ``advance_to`` records them, with its time.
        self._removed: dict[str, GangFact] = {}
        self.dropped = 0
        """The number of records and stretches that were dropped before they were handed over."""

    def __len__(self) -> int:
        """The number of records and stretches that wait."""
        return self._count

    def begin(self, gangs: Iterable[GangKey], *, has_users: bool) -> None:
        """Record changes from now on, and the existing ``gangs`` later. With ``has_users``, annotations name users."""
        self._is_on, self._has_users = True, has_users
        self._unrecorded = dict.fromkeys(gangs)

    def catching_up(self, gangs: Mapping[GangKey, GangFact]) -> Generator[None, None, None]:
        """Record the gangs that already existed, one in each step; the cache may change between steps."""
        while self._unrecorded:
            key, _ = self._unrecorded.popitem()
            gang = gangs.get(key)
            if gang is not None:
                self._put(self._whole(gang))
            yield

    def gang_applied(self, before: GangFact | None, gang: GangFact) -> None:
        """Record the changes of a gang."""
        if self._is_on:
            if before is None:
                # The gang is not gone: it only has an earlier version, because the API server was restored.
                self._removed.pop(gang.uid, None)
            record = self._changes(before, gang)
            if record is not None:
                self._put(record)

    def gang_removed(self, gang: GangFact) -> None:
        """Record at the next :meth:`advance_to` that the gang is gone."""
        if self._is_on:
            self._removed[gang.uid] = gang

    def advance_to(self, now: float) -> None:
        """Record the gangs that are gone by now."""
        for gang in self._removed.values():
            was_unrecorded = gang.key in self._unrecorded
            self._unrecorded.pop(gang.key, None)
            if gang.status.end is None:
                self._put(self._deleted(gang, round(now)))
            elif was_unrecorded:
                self._put(self._whole(gang))
        self._removed.clear()

    def take(self) -> GangRecord | None:
        """Take the next record, from each namespace in turn; None if none waits."""
        if not self._waiting:
            return None
        namespace = next(iter(self._waiting))
        self._waiting.move_to_end(namespace)
        return self._pop_oldest(namespace)

    def put_back(self, records: Sequence[GangRecord]) -> None:
        """Keep records that could not be handed over, in front of later records."""
        for record in reversed(records):
            self._put(record)
            of_namespace = self._waiting.get(record.namespace, OrderedDict())
            if record.uid in of_namespace:
                of_namespace.move_to_end(record.uid, last=False)

    def _changes(self, before: GangFact | None, gang: GangFact) -> GangRecord | None:
        """The record of the differences between two versions of a gang; None if no difference is recorded."""
        if before is None:
            return self._whole(gang)
        was, key = held_key(before), held_key(gang)
        stretches = []
        if was is not None and was != key:
            stretches.append(self._ended(before, gang))
        if key is not None and key != was:
            stretches.append(stretch_of(gang, key, self._requests(gang), self._kind_of))
        is_over = gang.status.end is not None and before.status.end is None
        has_started = gang.status.started_at is not None and before.status.started_at is None
        # The status has the promise only until the gang holds nodes.
        is_promised = _promised(gang) is not None and _promised(before) is None
        says_more = stretches or is_over or has_started or is_promised
        return self._record(gang, *stretches) if says_more else None

    def _whole(self, gang: GangFact) -> GangRecord:
        """The record of everything that the gang's status says."""
        key = held_key(gang)
        if key is not None:
            return self._record(gang, stretch_of(gang, key, self._requests(gang), self._kind_of))
        last = last_key(gang) if gang.status.end is not None else None
        return self._record(gang) if last is None else self._record(gang, self._ended(gang, gang))

    def _ended(self, before: GangFact, gang: GangFact) -> Stretch:
        """The last stretch of ``before``, with its end by the status of ``gang``."""
        key = held_key(before) or last_key(before)
        assert key is not None, "a stretch has ended"
        stretch = stretch_of(before, key, self._requests(before), self._kind_of)
        reason, message = reason_of_end(gang)
        ended = ended_at(before, gang)
        return replace(
            stretch,
            ended=ended,
            reason=reason,
            message=message,
            preemptor=preemptor_of_end(before.status, gang.status, reason),
            lost=lost_work(before, reason, stretch, ended),
        )

    def _deleted(self, gang: GangFact, now: int) -> GangRecord:
        key = held_key(gang)
        stretches = []
        if key is not None:
            stretch = stretch_of(gang, key, self._requests(gang), self._kind_of)
            lost = lost_work(gang, Reason.GANG_DELETED, stretch, now)
            ended = max(now, key.began)
            stretches.append(replace(stretch, ended=ended, reason=Reason.GANG_DELETED, lost=lost))
        record = self._record(gang, *stretches)
        return replace(record, ended=now, outcome=GangOutcome.DELETED, reason=Reason.GANG_DELETED)

    def _record(self, gang: GangFact, *stretches: Stretch) -> GangRecord:
        status, end = gang.status, gang.status.end
        return GangRecord(
            uid=gang.uid,
            kind="Gang" if is_pod_gang(gang.key) else "GangJob",
            namespace=gang.key.namespace,
            name=object_name(gang.key),
            created=round(gang.created),
            user=gang.user[:LONGEST_TEXT] if self._has_users else "",
            group=self._group_of(gang.key.namespace),
            template="" if gang.spec is None else gang.spec.run_template,
            sweep="" if gang.run is None else sweep_name(gang.run.sweep),
            promised=_promised(gang),
            started=_whole_second(status.started_at),
            predicted=_whole_second(status.expected_finish) if status.attempt else None,
            ended=None if end is None else _whole_second(status.finished_at) or round(end.last_transition),
            outcome=_outcome(gang),
            reason="" if end is None else end.reason,
            message="" if end is None else end.message[:LONGEST_TEXT],
            attempts=status.attempt,
            restarts=status.restarts,
            stretches=stretches,
        )

    def _requests(self, gang: GangFact) -> Mapping[str, Request]:
        held = self._reserved(gang.key)
        if held is not None and held.gang_uid == gang.uid:
            return held.requests
        return {} if gang.spec is None else requests_of(gang.spec)

    def _put(self, record: GangRecord) -> None:
        records = self._waiting.setdefault(record.namespace, OrderedDict())
        known = records.get(record.uid)
        joined = record if known is None else merged(known, record)
        excess = max(0, len(joined.stretches) - MOST_STRETCHES)
        joined = records[record.uid] = replace(joined, stretches=joined.stretches[excess:])
        self.dropped += excess
        self._count += _weight(joined) - (0 if known is None else _weight(known))
        while self._count > MOST_WAITING:
            self._drop_oldest()

    def _drop_oldest(self) -> None:
        """Drop the oldest record of the namespace with the most records."""
        namespace = max(self._waiting, key=lambda name: len(self._waiting[name]))
        self.dropped += _weight(self._pop_oldest(namespace))

    def _pop_oldest(self, namespace: str) -> GangRecord:
        records = self._waiting[namespace]
        _, record = records.popitem(last=False)
        if not records:
            del self._waiting[namespace]
        self._count -= _weight(record)
        return record


def _weight(record: GangRecord) -> int:
    return 1 + len(record.stretches)


def _outcome(gang: GangFact) -> GangOutcome:
    end = gang.status.end
    if end is None:
        return GangOutcome.OPEN
    return GangOutcome.SUCCEEDED if end.type == Condition.COMPLETE else GangOutcome.FAILED


def _promised(gang: GangFact) -> int | None:
    """The promised start in the gang's status; None if there is none."""
    return None if gang.status.plan is None else _whole_second(gang.status.plan.promised_start)


def _whole_second(time: float | None) -> int | None:
    return None if time is None else round(time)
