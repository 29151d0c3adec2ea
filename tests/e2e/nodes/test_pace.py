"""The pace of the slowest, for an MPI program on real kubelets: what is in force, and what it does to the program."""

import os
import time
from collections.abc import Sequence
from functools import partial
from statistics import mean, pstdev
from typing import Any, NamedTuple

import pytest

from e2e.cluster import Cluster, Manifest
from e2e.nodes.conftest import FAST, SLOW
from e2e.nodes.jobs import Jobs, job, resources_in_force, role, template
from e2e.nodes.measured import Measured
from e2e.nodes.ssh_keys import ssh_keys, with_ssh_keys
from e2e.nodes.test_programs import AS_ROOT

APART = {"labelSelector": {"matchLabels": {"lockstep.dev/role": "workers"}}, "topologyKey": "kubernetes.io/hostname"}
NODE = {"name": "NODE", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}}
# Little, so that it is there though others use the machine.
FIFTH, WHOLE = 200, 1000
# How to wait, and with how many millicores. Who wants to know it better has it measured more often, and other ways.
ROUNDS = int(os.environ.get("LOCKSTEP_E2E_ROUNDS") or 1)
SECONDS = 20.0 if ROUNDS > 1 else 5.0
WAYS = [("5", FIFTH), ("spin", FIFTH)]
if ROUNDS > 1:
    WAYS += [("1", FIFTH), ("0.5", FIFTH), ("5", WHOLE), ("2", WHOLE), ("1", WHOLE)]


class Line(NamedTuple):
    """What a process has told of itself."""

    at: float
    steps: int
    cpu: float


def cpu(requests: int, limits: int) -> Manifest:
    """Resources with so many millicores, as the API server spells them."""
    return {"requests": {"cpu": spelled(requests)}, "limits": {"cpu": spelled(limits)}}


def spelled(millicores: int) -> str:
    return f"{millicores}m" if millicores % 1000 else str(millicores // 1000)


def whole(millicores: int) -> Manifest:
    """What a member has without pace."""
    return cpu(millicores, millicores)


def paced(millicores: int) -> Manifest:
    """What it has on the fast node of twice the speed: it needs half of that."""
    return cpu(millicores // 2, millicores * 55 // 100)


def workers(millicores: int) -> Manifest:
    """Two members that listen, on nodes of their own."""
    made = template("sh", "-c", "echo $NODE > /tmp/node; exec ssh-worker", env=[NODE], resources=whole(millicores))
    made["spec"]["affinity"] = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [APART]}}
    return with_ssh_keys(made)


def in_force(jobs: Jobs) -> dict[str, Any]:
    """What CPU the members have by their kubelets, by node."""
    pods = [pod for pod in jobs.pods("paced") if pod["metadata"]["labels"]["lockstep.dev/role"] == "workers"]
    return {pod["spec"]["nodeName"]: cpu_of(resources_in_force(pod)) for pod in pods}


def cpu_of(resources: Manifest) -> Manifest:
    return {kind: {"cpu": resources[kind]["cpu"]} for kind in ("requests", "limits")}


def until_in_force(cluster: Cluster, jobs: Jobs, fast: Manifest, slow: Manifest) -> None:
    def probe() -> bool:
        assert in_force(jobs) == {FAST: fast, SLOW: slow}
        return True

    cluster.until(probe)


def lines(jobs: Jobs, node: str) -> list[Line]:
    told = [line.split() for line in jobs.log("paced-1-0").splitlines() if line.startswith(f"{node} ")]
    return [Line(float(at), int(steps), float(cpu)) for _, at, steps, cpu in told]


def lines_since(jobs: Jobs, node: str, since: float) -> list[Line]:
    return [line for line in lines(jobs, node) if line.at > since]


def has_gone_on(jobs: Jobs, since: float) -> bool:
    """Whether the process on the fast node has worked long enough since then to be measured."""
    found = lines_since(jobs, FAST, since)
    return len(found) > 1 and found[-1].at > since + SECONDS


def rates(jobs: Jobs, node: str, since: float) -> tuple[float, float]:
    """Steps and CPU-seconds a second, from then on."""
    first, *_, last = lines_since(jobs, node, since)
    seconds = last.at - first.at
    return (last.steps - first.steps) / seconds, (last.cpu - first.cpu) / seconds


class Round(NamedTuple):
    """What the member on the fast node did with and without pace: seconds and CPU-seconds of a step."""

    unpaced: tuple[float, float]
    paced: tuple[float, float]


def a_round(cluster: Cluster, jobs: Jobs, millicores: int) -> Round:
    """Measure it both ways, one after the other."""
    found = []
    for pace, fast in (("None", whole(millicores)), ("Local", paced(millicores))):
        jobs.patch("paced", {"pace": pace})
        until_in_force(cluster, jobs, fast, whole(millicores))
        since = time.time()
        cluster.until(partial(has_gone_on, jobs, since))
        steps, cpu = rates(jobs, FAST, since)
        found.append((1 / steps, cpu / steps))
    return Round(*found)


def tell(measured: Measured, rounds: Sequence[Round], has: float) -> None:
    """Tell how much longer a step took, what the member used, and what part of what the formula says it gave back."""
    needs = has / 2
    longer = [one.paced[0] / one.unpaced[0] - 1 for one in rounds]
    used = [[cpu / seconds for seconds, cpu in way] for way in zip(*rounds, strict=True)]
    shares = " and ".join(f"{mean(way):.3f} ± {pstdev(way):.3f}" for way in used)
    given_back = [(has - cores) / (has - needs) for cores in used[1]]
    measured.say(
        f"a step took {mean(seconds for (seconds, _), _ in rounds):.4f} s, and with pace"
        f" {mean(longer):+.1%} ± {pstdev(longer):.1%} in {len(rounds)} rounds; the member on {FAST} used {shares}"
        f" cores, by the formula {needs}; given back {mean(given_back):.0%} ± {pstdev(given_back):.0%} of the formula's"
    )


@pytest.mark.parametrize(("how", "millicores"), WAYS)
def test_member_on_the_fast_node_gives_half_of_its_cpu_back(cluster, jobs, measured, how, millicores):
    jobs.add(ssh_keys())
    program = ("/usr/local/bin/steps", SLOW, how, str(millicores / 1000))
    launcher = with_ssh_keys(template("mpirun", *program, env=AS_ROOT))
    members = workers(millicores)
    roles = [role("launcher", 1, launcher, load="None", startAfter=["workers"]), role("workers", 2, members)]
    jobs.submit_job(job("paced", roles=roles, network={"rendezvous": "MPI"}, successPolicy={"role": "launcher"}))
    cluster.until(lambda: lines(jobs, FAST) and lines(jobs, SLOW))

    tell(measured, [a_round(cluster, jobs, millicores) for _ in range(ROUNDS)], millicores / 1000)

    assert jobs.status("paced")["pace"]["givenBack"] == f"{millicores // 2}m"
    jobs.patch("paced", {"pace": "None"})
    until_in_force(cluster, jobs, whole(millicores), whole(millicores))
