"""The slots of one role in many domains at once, and how many of them last from each instant on.

An instant is a time at which some slots appear. A slot counts only in the domain of its node. So a domain needs only
the instants of its own slots, and all domains together cost one pass over all slots.
"""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from coschedule.model.numbers import BoolArray, FloatArray, IntArray
from coschedule.queue.slots.domains import Domains, number_groups, number_rows
from coschedule.queue.slots.open_slots import OpenSlots
from coschedule.queue.slots.segments import is_first


class SlotsByDomain(NamedTuple):
    """Domain ``owner[i]`` has ``total[i]`` slots of pace ``pace[i]`` from ``begin[i]`` to ``end[i]``.

    ``owner`` never falls. ``begin`` is never before the first instant at which the gang may start. ``pace`` is an index
    of ``slowdowns``.
    """

    slowdowns: FloatArray
    owner: IntArray
    pace: IntArray
    begin: FloatArray
    end: FloatArray
    total: IntArray

    @property
    def stay(self) -> BoolArray:
        """Whether the slots have no end: bool[i]."""
        stay: BoolArray = self.end == np.inf
        return stay

    def take(self, rows: IntArray | BoolArray | slice) -> "SlotsByDomain":
        """Return the entries ``rows``: indices, a mask or a slice."""
        return self._replace(
            owner=self.owner[rows],
            pace=self.pace[rows],
            begin=self.begin[rows],
            end=self.end[rows],
            total=self.total[rows],
        )

    def within(self, domain: int, first: float) -> OpenSlots:
        """Return the slots of one domain as if there were no other nodes; ``first`` is the first instant."""
        low, high = self.owner.searchsorted([domain, domain + 1])
        own = self.take(slice(low, high))
        times = np.unique(np.concatenate([own.begin, own.end, [np.inf]]))
        paces, pace = np.unique(own.pace, return_inverse=True)
        begins = np.unique(own.begin)
        return OpenSlots(
            classes=1,
            slowdowns=self.slowdowns[paces],
            times=times,
            owner=np.zeros(len(pace), dtype=np.int64),
            pace=pace,
            begin=times.searchsorted(own.begin),
            end=times.searchsorted(own.end),
            slots=own.total,
            total=own.total,
            instants=np.append(first, begins[begins > first]),
        )


class Instants(NamedTuple):
    """The starts to try in ``domains`` domains: ``time[k]`` in domain ``owner[k]``, by domain, then by time."""

    domains: int
    owner: IntArray
    time: FloatArray


def slots_by_domain(open_slots: OpenSlots, domains: Domains) -> SlotsByDomain:
    """List the slots of each domain's nodes."""
    by_class = np.argsort(open_slots.owner, kind="stable")
    count = np.bincount(open_slots.owner, minlength=open_slots.classes)
    before = count.cumsum() - count
    lengths = count[domains.of_class]
    part = np.arange(len(lengths)).repeat(lengths)
    offset = lengths.cumsum() - lengths
    row = by_class[np.arange(len(part)) + (before[domains.of_class] - offset)[part]]
    first = open_slots.instants[0]
    slots = SlotsByDomain(
        slowdowns=open_slots.slowdowns,
        owner=domains.owner[part],
        pace=open_slots.pace[row],
        begin=np.maximum(open_slots.times[open_slots.begin[row]], first),
        end=open_slots.times[open_slots.end[row]],
        total=open_slots.slots[row] * domains.width[part],
    )
    return slots.take(slots.end > first)


def instants_in(slots: Sequence[SlotsByDomain], first: float, domains: int) -> Instants:
    """List the instants of ``domains`` domains: ``first``, and each time at which one of the ``slots`` appears."""
    owner = np.concatenate([np.arange(domains), *(one.owner for one in slots)])
    time = np.concatenate([np.full(domains, first), *(one.begin for one in slots)])
    order = np.lexsort((time, owner))
    owner, time = owner[order], time[order]
    distinct = np.flatnonzero(is_first(owner) | np.append(True, time[1:] > time[:-1]))
    return Instants(domains, owner[distinct], time[distinct])


def count_lasting(slots: SlotsByDomain, instants: Instants, seconds: FloatArray) -> IntArray:
    """Count, for each instant, the slots of its domain d that last from then on for ``seconds[d]``: int[k]."""
    first = _places(instants.owner, instants.time, slots.owner, slots.begin, side="left")
    too_late = _places(instants.owner, instants.time + seconds[instants.owner], slots.owner, slots.end, side="right")
    lasting = np.flatnonzero(first < too_late)
    size = len(instants.owner) + 1
    gains = np.bincount(first[lasting], weights=slots.total[lasting], minlength=size)
    gains -= np.bincount(too_late[lasting], weights=slots.total[lasting], minlength=size)
    counted: IntArray = gains.astype(np.int64)[:-1].cumsum()
    return counted


def least_by_domain(values: FloatArray, instants: Instants) -> FloatArray:
    """Return the least of the values at the instants of each domain: float[d]."""
    least: FloatArray = np.minimum.reduceat(values, np.flatnonzero(is_first(instants.owner)))
    return least


def most_by_domain(counts: IntArray, instants: Instants) -> IntArray:
    """Return the largest count at the instants of each domain: int[d]."""
    return np.maximum.reduceat(counts, np.flatnonzero(is_first(instants.owner)))


def fastest_in(slots: SlotsByDomain, domains: int) -> FloatArray:
    """Return the least slow-down of the slots of each domain, inf where it has none: float[d]."""
    fastest = np.full(domains, np.inf)
    np.minimum.at(fastest, slots.owner, slots.slowdowns[slots.pace])
    return fastest


def alike_until(slots: Sequence[SlotsByDomain], until: float, domains: int) -> IntArray:
    """Number domains: domains with equal slots up to ``until`` in each entry of ``slots`` get the same number.

    So the same runs that end by ``until`` are possible in these domains. Later changes of slots make no difference.
    """
    alike = np.zeros(domains, dtype=np.int64)
    for one in slots:
        alike = number_rows([alike, _alike_until(one, until, domains)])
    return alike


def _alike_until(slots: SlotsByDomain, until: float, domains: int) -> IntArray:
    soon = slots.take(slots.begin <= until)
    soon = soon._replace(end=np.where(soon.end >= until, np.inf, soon.end))
    soon = soon.take(np.lexsort((soon.end, soon.begin, soon.pace, soon.owner)))
    is_other = is_first(soon.owner) | is_first(soon.pace) | is_first(soon.begin) | is_first(soon.end)
    first = np.flatnonzero(is_other)
    total = np.add.reduceat(soon.total, first) if first.size else soon.total
    kinds = soon.take(first)
    return number_groups(kinds.owner, number_rows([kinds.pace, kinds.begin, kinds.end, total]), domains)


def _places(
    owner: IntArray, time: FloatArray, of: IntArray, at: FloatArray, *, side: Literal["left", "right"]
) -> IntArray:
    """Find the place of ``at[i]`` among the times of owner ``of[i]``; times are sorted by owner, then by time."""
    return _both(owner, time).searchsorted(_both(of, at), side=side)


def _both(owner: IntArray, time: FloatArray) -> NDArray[np.complex128]:
    # Complex numbers are compared by their real parts, then by their imaginary parts.
    both = np.empty(len(owner), dtype=np.complex128)
    both.real, both.imag = owner, time
    return both
