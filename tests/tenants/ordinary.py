"""What ordinary gangs meet beside the objects of another tenant: measured on a real control plane."""

import itertools
from collections.abc import Callable, Mapping, Sequence
from time import sleep
from typing import NamedTuple

from builders.manifests import gang
from lockstep_demo.operator_process import OperatorProcess
from tenants.portions import Counted, share
from tenants.shapes import Shape
from tenants.working_cluster import DEFAULT, WorkingCluster

GANGS = 3
SIZE = 16
MOST_PODS = 4
LONGEST_SECONDS = 60.0
_USUAL_EVERY = 10
# More often would keep the API server busy, which others ask too.
_POLL_SECONDS = 0.03
_HELD = 'lockstep_event_loop_held_seconds_bucket{le="'


class Delay(NamedTuple):
    """What ordinary gangs met that came as soon as the API server had the objects, one after another.

    ``latency``: the served time from creation until all members were bound, and ``cpu``: the time of the operator's
    CPU, as multiples of the same without the objects. ``peak``: by how many MiB the operator's memory rose at most.
    ``held``: for how many seconds at most its event loop was held at a time by its own process, by the bounds of its
    histogram; 0 if that is no longer than without the objects.
    """

    latency: float
    cpu: float
    peak: float
    held: float


class _Met(NamedTuple):
    """The same in seconds a gang, and in MiB."""

    latency: float
    cpu: float
    peak: float
    held: float


class Ordinary:
    """Submits ordinary gangs and measures what they meet."""

    def __init__(
        self, cluster: WorkingCluster, is_slow: Callable[[Shape, Delay], bool], report: Callable[[str], None]
    ) -> None:
        self._cluster = cluster
        self._is_slow = is_slow
        self._report = report
        self._names = (f"ordinary-{number}" for number in itertools.count(1))
        # The first gangs pay for what a process does only once.
        self._met(())
        self._renew()

    def resident_bytes(self) -> int:
        """How much memory the operator has."""
        return self._cluster.operator.resident_bytes()

    def beside(self, portion: Sequence[Counted]) -> list[Delay]:
        """What they meet beside the objects of these shapes together, for each shape.

        What is usual is measured again now and then, as a busy machine makes the same work dearer. Before a portion is
        called too slow, both are measured once more, one after the other.
        """
        if self._since_usual >= _USUAL_EVERY:
            self._renew()
        delay = self._delay(portion)
        if self._since_usual and self._is_slow(portion[0].shape, delay):
            self._renew()
            delay = self._delay(portion)
        self._since_usual += 1
        return [delay] * len(portion)

    def _renew(self) -> None:
        self._usual, self._since_usual = self._met(()), 0
        self._report(f"beside nothing: {_formatted(self._usual)}")

    def _delay(self, portion: Sequence[Counted]) -> Delay:
        usual, met = self._usual, self._met(portion)
        held = met.held if met.held > usual.held else 0.0
        delay = Delay(met.latency / usual.latency, met.cpu / usual.cpu, met.peak - usual.peak, held)
        self._report(f"beside {len(portion)} shapes from group {portion[0].number} on: {_formatted(delay)}")
        return delay

    def _met(self, portion: Sequence[Counted]) -> _Met:
        operator = self._cluster.operator
        groups = [[*group] for _, group in itertools.groupby(portion, key=lambda one: one.number)]
        with self._cluster.tenants(len(groups)) as tenants:
            operator.forget_peak()
            held, cpu = _held(operator), operator.cpu_seconds()
            for group, tenant in zip(groups, tenants, strict=True):
                self._create(group, tenant)
            names = [*itertools.islice(self._names, GANGS)]
            latency = sum(map(self._latency, names)) / GANGS
            spent, peak = (operator.cpu_seconds() - cpu) / GANGS, operator.peak_resident_bytes() / 2**20
            met = _Met(latency, spent, peak, _longest(held, _held(operator)))
            self._cluster.remove_gangs(names)
            return met

    def _create(self, group: Sequence[Counted], tenant: str) -> None:
        plural, texts = group[0].shape.plural, share(group)
        if plural in ("gangjobs", "gangsweeps"):
            self._cluster.limit_pods(tenant, MOST_PODS)
        if plural == "gangs":
            self._cluster.create_pods_of(tenant, texts)
        self._cluster.create_all(plural, tenant, texts)

    def _latency(self, name: str) -> float:
        """How long one gang takes, in seconds: about ``LONGEST_SECONDS`` where it takes longer."""
        clock = self._cluster.served_time()
        self._cluster.create("gangjobs", DEFAULT, gang(name, size=SIZE, cpu="100m", work={"serialTime": "1m"}))
        while (took := clock.seconds()) < LONGEST_SECONDS and not self._is_bound(name):
            sleep(_POLL_SECONDS)
        return took

    def _is_bound(self, name: str) -> bool:
        return sum("nodeName" in pod["spec"] for pod in self._cluster.members_of(name)) == SIZE


def _formatted(paid: Delay | _Met) -> str:
    return ", ".join(f"{measure} {number:.2f}" for measure, number in paid._asdict().items())


def _held(operator: OperatorProcess) -> Mapping[float, float]:
    """How often the event loop was seen held for at most so many seconds."""
    found = {name: value for name, value in operator.metrics().items() if name.startswith(_HELD)}
    return {float(name.removeprefix(_HELD).removesuffix('"}')): value for name, value in found.items()}


def _longest(before: Mapping[float, float], after: Mapping[float, float]) -> float:
    """The least number of seconds for which the event loop was held at most, between two states of the histogram."""
    held = {seconds: after[seconds] - before[seconds] for seconds in after}
    return min(seconds for seconds in held if held[seconds] == max(held.values()))
