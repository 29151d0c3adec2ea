"""What the agent knows of its node, for whoever writes the bid."""

from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Who used the processors between two samples, or in the mean of several, in cores.

    ``at`` is the monotonic time of the last sample. ``cores_gang`` are the members of gangs, ``cores_other_pods`` all
    other pods, ``cores_host`` what runs in no pod; ``steal`` is what the hypervisor gave to others, ``free`` the rest:
    together they are ``cores_total``. ``cpu_pressure`` is the share of time, 0 to 1, in which somebody waited for a
    processor, None where the kernel does not say.
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
    """What is expected of one hour of the clock; ``start`` in seconds since the epoch.

    ``owner_present`` is the probability, 0 to 1, that the owner is there.
    """

    start: float
    duty_cycle: float
    owner_present: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What is known of the node at one moment. None means that nobody knows, yet or at all; times are epoch seconds.

    ``duty_cycle`` is the mean of the last five minutes, 0 to 1000, for ``NodeBid.spec.dutyCycle``: a member that takes
    t on the idle node takes (1 + duty_cycle)·t. It is a lower bound where the node was full: what local work would have
    used then cannot be seen.

    ``capacity`` is the work of a second of processor time, relative to the reference node; the number of cores is not
    in it. ``capacity_measured_at`` is when the newest measurement behind it was made. ``processor`` is what it depends
    on: nodes with the same one are as fast. It is "" where the processor's model is not known.

    ``owner_since`` is when the owner came or left. ``available_from`` is when they are likely to be away next, None
    where they are away and not expected within this hour, and where there is no forecast; ``available_until`` is when
    they are likely to be there next, after ``available_from``, and None where that is not within a day. ``forecast``
    has this hour and the next 23, but for those of which past days know nothing.

    ``since`` is when the oldest measurement that counts was made; ``source`` says where processor time is read, such as
    ``cgroup v2``; ``usage`` is who used the processors in the last five minutes.
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
