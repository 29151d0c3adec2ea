"""What ordinary gangs meet beside the objects of another tenant: measured on a real control plane."""

import itertools
from collections.abc import Mapping
from math import inf
from time import monotonic, sleep
from typing import NamedTuple

from builders.manifests import gang
from lockstep_demo.operator_process import OperatorProcess
from tenants.price import texts_of
from tenants.shapes import OWN
from tenants.together import Group
from tenants.working_cluster import DEFAULT, WorkingCluster

GANGS = 3
SIZE = 16
MOST_OBJECTS = 200
MOST_PODS = 4
MOST_BYTES_OF_OTHERS = 2**17
LONGEST_SECONDS = 60.0
_USUAL_EVERY = 20
_POLL_SECONDS = 0.01
_HELD = 'lockstep_event_loop_held_seconds_bucket{le="'


class Delay(NamedTuple):
    """What ordinary gangs met that came as soon as the API server had the objects, one after another.

    ``latency``: the time from creation until all members were bound, and ``cpu``: the time of the operator's CPU, as
    multiples of the same without the objects. ``peak``: by how many MiB the operator's memory rose at most. ``held``:
    for how many seconds at most its event loop was held at a time, by the bounds of its histogram.
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

    def __init__(self, cluster: WorkingCluster) -> None:
        self._cluster = cluster
        self._names = (f"ordinary-{number}" for number in itertools.count(1))
        # The first gangs pay for what a process does only once.
        self._met(())
        self._usual = self._met(())
        self._since_usual = 0

    def resident_bytes(self) -> int:
        """How much memory the operator has."""
        return self._cluster.operator.resident_bytes()

    def beside(self, group: Group) -> list[Delay]:
        """What they meet beside the objects of these shapes together, for each shape.

        What is usual is measured again now and then: the machine is not always equally busy.
        """
        self._since_usual += 1
        if self._since_usual > _USUAL_EVERY:
            self._usual, self._since_usual = self._met(()), 0
        usual, met = self._usual, self._met(group)
        delay = Delay(met.latency / usual.latency, met.cpu / usual.cpu, met.peak - usual.peak, met.held)
        return [delay] * len(group)

    def _met(self, group: Group) -> _Met:
        operator = self._cluster.operator
        with self._cluster.tenant() as tenant:
            operator.forget_peak()
            looks, cpu = _looks(operator), operator.cpu_seconds()
            self._create(group, tenant)
            latency = sum(self._latency() for _ in range(GANGS)) / GANGS
            spent, peak = (operator.cpu_seconds() - cpu) / GANGS, operator.peak_resident_bytes() / 2**20
            return _Met(latency, spent, peak, _longest(looks, _looks(operator)))

    def _create(self, group: Group, tenant: str) -> None:
        """Create ``MOST_OBJECTS`` at most, as many of each shape; more would mostly keep the API server busy.

        It takes minutes to validate some of the largest pods, so objects that Kubernetes alone bounds are only counted.
        """
        if not group:
            return
        if group[0].plural == "gangjobs":
            self._cluster.limit_pods(tenant, MOST_PODS)
        made = [one for texts in texts_of(group) for one in texts[: MOST_OBJECTS // len(group)]]
        most = inf if group[0].plural in OWN else MOST_BYTES_OF_OTHERS
        if group[0].plural == "gangs":
            self._cluster.create_pods_of(tenant, made)
        self._cluster.create_all(group[0].plural, tenant, [one for one in made if len(one) <= most])

    def _latency(self) -> float:
        """How long one gang takes, in seconds: about ``LONGEST_SECONDS`` where it takes longer."""
        name = next(self._names)
        began = monotonic()
        self._cluster.create("gangjobs", DEFAULT, gang(name, size=SIZE, cpu="100m", work={"serialTime": "1m"}))
        while (took := monotonic() - began) < LONGEST_SECONDS and not self._is_bound(name):
            sleep(_POLL_SECONDS)
        self._cluster.remove_gang(name)
        return took

    def _is_bound(self, name: str) -> bool:
        return sum("nodeName" in pod["spec"] for pod in self._cluster.members_of(name)) == SIZE


def _looks(operator: OperatorProcess) -> Mapping[float, float]:
    """How often the event loop was seen held for at most so many seconds."""
    found = {name: value for name, value in operator.metrics().items() if name.startswith(_HELD)}
    return {float(name.removeprefix(_HELD).removesuffix('"}')): value for name, value in found.items()}


def _longest(before: Mapping[float, float], after: Mapping[float, float]) -> float:
    """The least number of seconds for which the event loop was held at most, between two states of the histogram."""
    looks = {seconds: after[seconds] - before[seconds] for seconds in after}
    return min(seconds for seconds in looks if looks[seconds] == max(looks.values()))
