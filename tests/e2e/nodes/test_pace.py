"""The pace of the slowest, for an MPI program on real kubelets: what is in force, and what it does to the program."""

import time
from typing import Any, NamedTuple

import pytest

from e2e.cluster import Cluster, Manifest
from e2e.nodes.conftest import FAST, SLOW
from e2e.nodes.jobs import Jobs, job, role, template
from e2e.nodes.ssh_keys import ssh_keys, with_ssh_keys
from e2e.nodes.test_programs import AS_ROOT

# One process has one core at most.
ONE_CORE = {"requests": {"cpu": "1"}, "limits": {"cpu": "1"}}
# On the fast node of twice the speed a member needs half of that.
PACED = {"requests": {"cpu": "500m"}, "limits": {"cpu": "550m"}}
APART = {"labelSelector": {"matchLabels": {"lockstep.dev/role": "workers"}}, "topologyKey": "kubernetes.io/hostname"}
NODE = {"name": "NODE", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}}
SECONDS = 20.0


class Line(NamedTuple):
    """What a process has told of itself."""

    at: float
    steps: int
    cpu: float


def workers() -> Manifest:
    """Two members that listen, on nodes of their own, each with a core."""
    made = template("sh", "-c", "echo $NODE > /tmp/node; exec ssh-worker", env=[NODE], resources=ONE_CORE)
    made["spec"]["affinity"] = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [APART]}}
    return with_ssh_keys(made)


def in_force(jobs: Jobs) -> dict[str, Any]:
    """What CPU the members have by their kubelets, by node."""
    pods = [pod for pod in jobs.pods("paced") if pod["metadata"]["labels"]["lockstep.dev/role"] == "workers"]
    return {pod["spec"]["nodeName"]: cpu_of(pod["status"]["containerStatuses"][0]["resources"]) for pod in pods}


def cpu_of(resources: Manifest) -> Manifest:
    return {kind: {"cpu": resources[kind]["cpu"]} for kind in ("requests", "limits")}


def until_in_force(cluster: Cluster, jobs: Jobs, fast: Manifest) -> None:
    def probe() -> bool:
        assert in_force(jobs) == {FAST: fast, SLOW: ONE_CORE}
        return True

    cluster.until(probe)


def lines(jobs: Jobs, node: str) -> list[Line]:
    told = [line.split() for line in jobs.log("paced-1-0").splitlines() if line.startswith(f"{node} ")]
    return [Line(float(at), int(steps), float(cpu)) for _, at, steps, cpu in told]


def rates(jobs: Jobs, node: str, since: float) -> tuple[float, float]:
    """Steps and CPU-seconds a second, from then on."""
    first, *_, last = [line for line in lines(jobs, node) if line.at > since]
    seconds = last.at - first.at
    return (last.steps - first.steps) / seconds, (last.cpu - first.cpu) / seconds


@pytest.mark.parametrize("how", ["sleep", "spin"])
def test_member_on_the_fast_node_gives_half_of_its_core_back(cluster, jobs, measured, how):
    jobs.add(ssh_keys())
    launcher = with_ssh_keys(template("mpirun", "/usr/local/bin/steps", SLOW, how, env=AS_ROOT))
    roles = [role("launcher", 1, launcher, load="None", startAfter=["workers"]), role("workers", 2, workers())]
    jobs.submit_job(job("paced", roles=roles, network={"rendezvous": "MPI"}, successPolicy={"role": "launcher"}))
    cluster.until(lambda: lines(jobs, FAST) and lines(jobs, SLOW))
    for pace, fast in (("None", ONE_CORE), ("Local", PACED)):
        jobs.patch("paced", {"pace": pace})
        until_in_force(cluster, jobs, fast)
        since = time.time()
        cluster.until(lambda: lines(jobs, FAST)[-1].at > since + SECONDS)  # noqa: B023
        steps, cpu = rates(jobs, FAST, since)
        measured({f"{how}, pace {pace}, a step": 1 / steps, f"CPU on {FAST} in a second": cpu})

    assert jobs.status("paced")["pace"]["givenBack"] == "500m"
    jobs.patch("paced", {"pace": "None"})
    until_in_force(cluster, jobs, ONE_CORE)
