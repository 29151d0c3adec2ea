"""The agent's measurements, from which it makes the bid."""

from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """The use of the processors between two samples, or the average over several samples, in cores.

    ``at`` is the monotonic time of the last sample. ``cores_gang`` were used by members of gangs, ``cores_other_pods``
    by all other pods, and ``cores_host`` by processes in no pod. ``steal`` is what the hypervisor gave to other
    machines. ``free`` is the rest. Together these are ``cores_total``.

    ``cpu_pressure`` is the share of time, from 0 to 1, in which a process waited for a processor; None if the kernel
    does not report it.
    """

    at: float
    cores_total: float
    cores_gang: float
    cores_other_pods: float
    cores_host: float
    steal: float
    free: float
    cpu_pressure: float | None


class HourAhead(NamedTuple):
    """The forecast of one hour of the clock; ``start`` is in seconds since the epoch.

    ``owner_present`` is the probability, 0 to 1, that the node owner is present.
    """

    start: float
    duty_cycle: float
    owner_present: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """The measurements of the node at one time. None means unknown; times are epoch seconds.

    ``duty_cycle`` is the mean of the last five minutes, 0 to 1000, for ``NodeBid.spec.dutyCycle``: a member that takes
    t on the idle node takes (1 + duty_cycle)·t. It is a lower bound if the node was full: local work may have needed
    more than it got.

    ``capacity`` is the work per second of processor time, relative to the reference node, whatever the number of cores.
    ``capacity_measured_at`` is the time of its newest measurement. ``processor`` is the processor and Python version on
    which the capacity depends: nodes with an equal ``processor`` are equally fast. It is "" if the processor's model is
    unknown.

    ``owner_since`` is when the node owner came or left. ``available_from`` is when the owner is next likely to be away.
    It is None without a forecast, and if the owner is away and not expected within this hour. ``available_until`` is
    when the owner is next likely to be present after that; None if that is not within a day. ``forecast`` has this hour
    and the next 23, except hours that were measured on no past day of the same kind, weekdays or weekends.

    ``since`` is the time of the oldest measurement that counts. ``source`` says where processor time is read, such as
    ``cgroup v2``. ``usage`` is the use of the processors in the last five minutes.
    """

    duty_cycle: float | None
    duty_cycle_is_lower_bound: bool
    capacity: float | None
    capacity_measured_at: float | None
    processor: str
    owner_present: bool | None
    owner_since: float | None
    available_from: float | None
    available_until: float | None
    forecast: tuple[HourAhead, ...]
    since: float
    source: str
    usage: Usage | None
