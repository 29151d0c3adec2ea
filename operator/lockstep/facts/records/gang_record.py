"""The record of a gang: its namespace and user, the nodes it held, its wait, and its end.

A process that begins to lead knows only the statuses. So two records of one gang may have different parts, and
:func:`merged` joins them. It is commutative, associative and idempotent, so records may arrive in any order and twice.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, NamedTuple

MOST_STRETCHES = 20
"""The most stretches of one gang that wait in memory for the recorder."""
MOST_KINDS = 8
"""The most kinds of nodes of one stretch; members on nodes of all other kinds count together."""
LARGEST_AMOUNT = 2**62
"""The largest number in a record, except times."""
OTHER_KINDS = "(others)"
LONGEST_TEXT = 256
"""In characters: the longest message, and the longest name of a user."""


class GangOutcome(StrEnum):
    """How a gang has ended, as far as this is known.

    An observed end replaces ``UNKNOWN``, and any end replaces ``OPEN``. Of two observed ends, the later one counts. If
    both have the same time, the outcome that is further down counts.
    """

    OPEN = "Open"
    """It waits or runs."""
    UNKNOWN = "Unknown"
    """It is gone, and its end was not observed."""
    DELETED = "Deleted"
    FAILED = "Failed"
    SUCCEEDED = "Succeeded"

    @property
    def is_over(self) -> bool:
        """Whether the gang has ended."""
        return self is not GangOutcome.OPEN

    @property
    def is_observed(self) -> bool:
        """Whether its end was observed."""
        return self.is_over and self is not GangOutcome.UNKNOWN


class StretchKey(NamedTuple):
    """Identifies a stretch of a gang: the number of its attempt, and when it began, in seconds since 1970."""

    attempt: int
    began: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """What a gang held at one size, from ``began`` to ``ended``.

    Both times are in seconds since 1970. ``ended`` is None until the stretch ends.

    An attempt has one stretch, and another one after each change of its size. Amounts are those of all ``members``
    together: ``millicores``, ``memory`` in bytes, ``gpus``. ``kinds`` are the kinds of nodes, with the number of
    members on each. ``reason`` and ``message`` say why the stretch ended. ``preemptor`` is the gang for which it ended,
    if any. ``lost`` is the work that was lost with it, in seconds times members.
    """

    attempt: int
    began: int
    ended: int | None = None
    members: int
    millicores: int = 0
    memory: int = 0
    gpus: int = 0
    kinds: tuple[tuple[str, int], ...] = ()
    reason: str = ""
    message: str = ""
    preemptor: str = ""
    lost: int = 0

    @property
    def key(self) -> StretchKey:
        """The key of the stretch among those of its gang."""
        return StretchKey(self.attempt, self.began)


@dataclass(frozen=True, slots=True, kw_only=True)
class GangRecord:
    """The record of one gang. Times are in seconds since 1970; None if there is none yet.

    ``group`` is the group of its namespace. ``template`` identifies runs that are expected to take equally long.
    ``sweep`` is the name of its GangSweep. Any of these and ``user`` may be empty. ``promised`` is the first promised
    start. ``started`` is the time at which all members ran for the first time, ``predicted`` the end that was predicted
    at first. ``ended`` is given with an ``outcome`` that is not open.
    """

    uid: str
    kind: str
    namespace: str
    name: str
    created: int
    user: str = ""
    group: str = ""
    template: str = ""
    sweep: str = ""
    promised: int | None = None
    started: int | None = None
    predicted: int | None = None
    ended: int | None = None
    outcome: GangOutcome = GangOutcome.OPEN
    reason: str = ""
    message: str = ""
    attempts: int = 0
    restarts: int = 0
    stretches: tuple[Stretch, ...] = ()


def merged(one: GangRecord, other: GangRecord) -> GangRecord:
    """One record with the parts of both records of a gang."""
    greatest: dict[str, Any] = {name: max(getattr(one, name), getattr(other, name)) for name in _GREATEST}
    first: dict[str, Any] = {name: _first(getattr(one, name), getattr(other, name)) for name in _FIRST}
    stretches = _merged_stretches((*one.stretches, *other.stretches))
    return replace(max(one, other, key=_rank_of_end), **greatest, **first, stretches=stretches)


def merged_stretch(one: Stretch, other: Stretch) -> Stretch:
    """One stretch with the parts of both records of a stretch."""
    last = max(one, other, key=_rank_of_stretch)
    # A process that finds a Gang placed may not know the requests of its pods.
    amounts: dict[str, Any] = {name: max(getattr(one, name), getattr(other, name)) for name in _AMOUNTS}
    return replace(last, **amounts, kinds=max(one.kinds, other.kinds))


_GREATEST = ("kind", "namespace", "name", "user", "group", "template", "sweep", "attempts", "restarts")
_FIRST = ("created", "promised", "started", "predicted")
_AMOUNTS = ("members", "millicores", "memory", "gpus", "lost")
_ORDER = {outcome: number for number, outcome in enumerate(GangOutcome)}


def _rank_of_end(record: GangRecord) -> tuple[bool, bool, int, int, str, str]:
    """The rank of an end: the greater one counts.

    Observed ends are above unknown ones, and later ends above earlier ones. A gang may run again after etcd was
    restored.
    """
    outcome = record.outcome
    return (
        outcome.is_observed,
        outcome.is_over,
        record.ended or 0,
        _ORDER[record.outcome],
        record.reason,
        record.message,
    )


def _rank_of_stretch(one: Stretch) -> tuple[bool, int, str, str, str]:
    return one.ended is not None, one.ended or 0, one.reason, one.message, one.preemptor


def _first(one: int | None, other: int | None) -> int | None:
    return min((time for time in (one, other) if time is not None), default=None)


def _merged_stretches(stretches: Iterable[Stretch]) -> tuple[Stretch, ...]:
    by_key: dict[StretchKey, Stretch] = {}
    for stretch in stretches:
        known = by_key.get(stretch.key)
        by_key[stretch.key] = stretch if known is None else merged_stretch(known, stretch)
    return tuple(by_key[key] for key in sorted(by_key))
