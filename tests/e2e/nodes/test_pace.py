"""The pace of the slowest, for an MPI program on real kubelets: what is in force, and what it does to the program."""

import os
import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import starmap
from statistics import mean, pstdev
from typing import Any, NamedTuple

import pytest

from e2e.cluster import Cluster, Manifest
from e2e.nodes.conftest import FAST, SLOW
from e2e.nodes.jobs import AS_ROOT, Jobs, job, resources_in_force, role, size, template
from e2e.nodes.measured import Measured
from e2e.nodes.ssh_keys import ssh_keys, with_ssh_keys

NODE = {"name": "NODE", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}}
# Little, so that it is there though others use the machine.
FIFTH, WHOLE = 200, 1000
ROUNDS = int(os.environ.get("LOCKSTEP_E2E_ROUNDS") or 1)
SECONDS = 20.0 if ROUNDS > 1 else 5.0


class Way(NamedTuple):
    """How members of a gang wait, and with how many millicores."""

    how: str
    millicores: int

    @property
    def gang(self) -> str:
        """The name of the gang whose members wait so."""
        return f"paced-{self.how.replace('.', '-')}-{self.millicores}"


# Gangs beside each other share a start. Who wants to know it better has more ways measured, more often, each alone.
BESIDE = [Way("5", FIFTH), Way("spin", FIFTH)]
MORE = [Way("1", FIFTH), Way("0.5", FIFTH), Way("5", WHOLE), Way("2", WHOLE), Way("1", WHOLE)]
WAYS = [BESIDE] if ROUNDS == 1 else [[way] for way in (*BESIDE, *MORE)]


class Line(NamedTuple):
    """What a process has written of itself."""

    at: float
    steps: int
    cpu: float


def cpu(requests: int, limits: int) -> Manifest:
    """Resources with so many millicores, as the API server formats them."""
    return {"requests": {"cpu": formatted(requests)}, "limits": {"cpu": formatted(limits)}}


def formatted(millicores: int) -> str:
    return f"{millicores}m" if millicores % 1000 else str(millicores // 1000)


def whole(millicores: int) -> Manifest:
    """What a member has without pace."""
    return cpu(millicores, millicores)


def paced(millicores: int) -> Manifest:
    """What it has on the fast node of twice the speed: it needs half of that."""
    return cpu(millicores // 2, millicores * 55 // 100)


def workers(way: Way) -> Manifest:
    """Two members that listen, on nodes of their own."""
    resources = whole(way.millicores)
    made = template("sh", "-c", "echo $NODE > /tmp/node; exec ssh-worker", env=[NODE], resources=resources)
    made["spec"]["affinity"] = apart(way.gang, **{"lockstep.dev/role": "workers"})
    return with_ssh_keys(made)


def apart(gang: str, **labels: str) -> Manifest:
    """The affinity of members of a gang, with these labels, that are to be on nodes of their own."""
    selector = {"matchLabels": {"lockstep.dev/gang": gang, **labels}}
    term = {"labelSelector": selector, "topologyKey": "kubernetes.io/hostname"}
    return {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}


def submit(jobs: Jobs, way: Way) -> None:
    program = ("/usr/local/bin/steps", SLOW, way.how, str(way.millicores / 1000))
    launcher = with_ssh_keys(template("mpirun", *program, env=AS_ROOT))
    roles = [role("launcher", 1, launcher, load="None", startAfter=["workers"]), role("workers", 2, workers(way))]
    jobs.submit_job(job(way.gang, roles=roles, network={"rendezvous": "MPI"}, successPolicy={"role": "launcher"}))


def in_force(jobs: Jobs, gang: str) -> dict[str, Any]:
    """What CPU the members have by their kubelets, by node."""
    pods = [pod for pod in jobs.pods(gang) if pod["metadata"]["labels"].get("lockstep.dev/role") != "launcher"]
    return {pod["spec"]["nodeName"]: cpu_of(resources_in_force(pod)) for pod in pods}


def cpu_of(resources: Manifest) -> Manifest:
    return {kind: {"cpu": resources[kind]["cpu"]} for kind in ("requests", "limits")}


def until_in_force(cluster: Cluster, jobs: Jobs, gang: str, fast: Manifest, slow: Manifest) -> None:
    def probe() -> bool:
        assert in_force(jobs, gang) == {FAST: fast, SLOW: slow}
        return True

    cluster.until(probe)


def lines(jobs: Jobs, gang: str, node: str) -> list[Line]:
    printed = [line.split() for line in jobs.log(f"{gang}-1-0").splitlines() if line.startswith(f"{node} ")]
    return [Line(float(at), int(steps), float(cpu)) for _, at, steps, cpu in printed]


def lines_on_fast(jobs: Jobs, gang: str, since: float) -> list[Line]:
    return [line for line in lines(jobs, gang, FAST) if line.at > since]


def has_gone_on(jobs: Jobs, gang: str, since: float) -> bool:
    """Whether the process on the fast node has worked long enough since then to be measured."""
    found = lines_on_fast(jobs, gang, since)
    return len(found) > 1 and found[-1].at > since + SECONDS


def seconds_of_a_step(jobs: Jobs, gang: str, since: float) -> tuple[float, float]:
    """Seconds and CPU-seconds of a step on the fast node, from then on."""
    first, *_, last = lines_on_fast(jobs, gang, since)
    steps = last.steps - first.steps
    return (last.at - first.at) / steps, (last.cpu - first.cpu) / steps


class Round(NamedTuple):
    """What the member on the fast node did with and without pace: seconds and CPU-seconds of a step."""

    unpaced: tuple[float, float]
    paced: tuple[float, float]


def a_round(cluster: Cluster, jobs: Jobs, ways: Sequence[Way]) -> list[Round]:
    """Measure each gang both ways, one after the other."""
    unpaced = measure(cluster, jobs, ways, "None", whole)
    return [*starmap(Round, zip(unpaced, measure(cluster, jobs, ways, "Local", paced), strict=True))]


def measure(
    cluster: Cluster, jobs: Jobs, ways: Sequence[Way], pace: str, fast: Callable[[int], Manifest]
) -> list[tuple[float, float]]:
    """Seconds and CPU-seconds of a step of each gang, with that pace and what the member on the fast node has then."""
    for way in ways:
        jobs.patch(way.gang, {"pace": pace})
    for way in ways:
        until_in_force(cluster, jobs, way.gang, fast(way.millicores), whole(way.millicores))
    since = time.time()
    for way in ways:
        cluster.until(partial(has_gone_on, jobs, way.gang, since))
    return [seconds_of_a_step(jobs, way.gang, since) for way in ways]


def print_results(measured: Measured, way: Way, rounds: Sequence[Round]) -> None:
    """Print how much longer a step took, what the member used, and what part of what the formula says it gave back."""
    has, needs = way.millicores / 1000, way.millicores / 2000
    longer = [one.paced[0] / one.unpaced[0] - 1 for one in rounds]
    used = [[cpu / seconds for seconds, cpu in measurements] for measurements in zip(*rounds, strict=True)]
    shares = " and ".join(f"{mean(cores):.3f} ± {pstdev(cores):.3f}" for cores in used)
    given_back = [(has - cores) / (has - needs) for cores in used[1]]
    measured.say(
        f"{way.gang}: a step took {mean(seconds for (seconds, _), _ in rounds):.4f} s, and with pace"
        f" {mean(longer):+.1%} ± {pstdev(longer):.1%} in {len(rounds)} rounds; the member on {FAST} used {shares}"
        f" cores, by the formula {needs}; given back {mean(given_back):.0%} ± {pstdev(given_back):.0%} of the formula's"
    )


def sharers(gang: str) -> Manifest:
    """Two members that print how the kernel divides their processor: node, weight and quota."""
    shown = 'echo "$NODE $(cat /sys/fs/cgroup/cpu/cpu.shares) $(cat /sys/fs/cgroup/cpu/cpu.cfs_quota_us)"'
    made = template("sh", "-c", f"while {shown}; do sleep 1; done", env=[NODE], resources=whole(FIFTH))
    made["spec"]["affinity"] = apart(gang)
    return job(gang, size=size(2), template=made)


def divided(jobs: Jobs, gang: str) -> dict[str, tuple[int, int]]:
    """The weight and the quota of the member on each node, as it has printed them last."""
    lines = (text.splitlines()[-1].split() for text in jobs.logs(gang).values() if text)
    return {node: (int(weight), int(quota)) for node, weight, quota in lines}


@pytest.mark.search("pace on real nodes")
def test_member_that_shares_has_less_weight_and_the_same_quota(cluster, jobs):
    gang = "shares"
    before = {FAST: (204, 20_000), SLOW: (204, 20_000)}
    jobs.submit_job(sharers(gang))
    cluster.until(lambda: divided(jobs, gang) == before)

    jobs.patch(gang, {"pace": "Share"})

    until_in_force(cluster, jobs, gang, cpu(FIFTH // 2, FIFTH), whole(FIFTH))
    cluster.until(lambda: divided(jobs, gang) == before | {FAST: (102, 20_000)})

    jobs.patch(gang, {"pace": "None"})
    cluster.until(lambda: divided(jobs, gang) == before)


@pytest.mark.search("pace on real nodes")
@pytest.mark.parametrize("ways", WAYS, ids=lambda ways: " ".join(way.gang for way in ways))
def test_member_on_the_fast_node_gives_half_of_its_cpu_back(cluster, jobs, measured, ways):
    jobs.add(ssh_keys())
    for way in ways:
        submit(jobs, way)
    for way in ways:
        cluster.until(lambda way=way: lines(jobs, way.gang, FAST) and lines(jobs, way.gang, SLOW))

    rounds = [a_round(cluster, jobs, ways) for _ in range(ROUNDS)]

    for way, measurements in zip(ways, zip(*rounds, strict=True), strict=True):
        print_results(measured, way, measurements)
        assert jobs.status(way.gang)["pace"]["givenBack"] == f"{way.millicores // 2}m"
