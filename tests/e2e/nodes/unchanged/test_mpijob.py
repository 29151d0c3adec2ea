"""An MPIJob as its users write it: a launcher with `mpirun`, workers with `sshd`, and the keys of the MPI operator."""

from collections.abc import Iterator

import pytest

from e2e.controllers.kubeflow.mpi_operator import mpi_operator
from e2e.nodes.jobs import number_after, template
from e2e.nodes.unchanged.kubeflow_jobs import KubeflowJobs, replicas

WORKERS = 4
SUM_OF_RANKS = sum(range(1, WORKERS + 1))
WORKER_NAMES = [f"sum-worker-{index}" for index in range(WORKERS)]
LAUNCHER = "sum-launcher"
# Minutes of work, unless the workers are asked to hurry.
BLOCKS = 6000
SQUARES = sum(number * number for number in range(BLOCKS))
# Until it listens it is not ready. Then its name resolves, and the launcher may come that waits for workers.
LISTENS = {"tcpSocket": {"port": 22}, "periodSeconds": 1}


@pytest.fixture(scope="module")
def controller(sandbox, tmp_path_factory) -> Iterator[None]:
    """The MPI operator. It makes no PodGroups."""
    with mpi_operator(sandbox, tmp_path_factory.mktemp("mpi-operator")):
        yield


@pytest.fixture
def jobs(controller, cluster) -> Iterator[KubeflowJobs]:
    """MPIJobs; none is left after a test."""
    jobs = KubeflowJobs(cluster, "mpijob")
    yield jobs
    jobs.delete_all()


def mpijob(name, launcher, worker, workers=WORKERS, launcher_comes="AtStartup"):
    """Return an MPIJob with these templates."""
    spec = {
        "launcherCreationPolicy": launcher_comes,
        "mpiReplicaSpecs": {"Launcher": replicas(1, launcher), "Worker": replicas(workers, worker)},
    }
    return {"apiVersion": "kubeflow.org/v2beta1", "kind": "MPIJob", "metadata": {"name": name}, "spec": spec}


def launcher(*program):
    """Return the template of a launcher that has the workers run a program."""
    command = ["mpirun", "--allow-run-as-root", *program]
    return template("when-workers-listen", args=command, name="mpi-launcher")


def worker(**more):
    """Return the template of a worker."""
    sshd = ["-De", "-f", "/etc/ssh/of_mpi_operator"]
    return template("/usr/sbin/sshd", args=sshd, name="mpi-worker", readinessProbe=LISTENS, **more)


def sums(name, **more):
    """Return an MPIJob that adds up the ranks of its workers' processes."""
    return mpijob(name, launcher("/usr/local/bin/sum-of-ranks"), worker(), **more)


def squares(name, folder):
    """Return an MPIJob of two workers that adds up squares and goes on from its checkpoint in that folder."""
    keeps = worker(volumeMounts=[{"name": "done", "mountPath": "/done"}])
    keeps["spec"]["volumes"] = [{"name": "done", "hostPath": {"path": str(folder)}}]
    return mpijob(name, launcher("/usr/local/bin/mpi-squares", "/done", str(BLOCKS)), keeps, workers=2)


@pytest.mark.parametrize(
    ("launcher_comes", "want_first"),
    [
        pytest.param("AtStartup", WORKERS + 1, id="launcher comes with the workers"),
        pytest.param("WaitForWorkersReady", WORKERS, id="launcher comes once the workers are ready"),
    ],
)
def test_mpijob_is_placed_whole_and_computes(jobs, launcher_comes, want_first):
    jobs.submit(sums("sum", launcher_comes=launcher_comes))

    jobs.until_succeeded("sum")

    assert jobs.sizes("sum") == {**dict.fromkeys(WORKER_NAMES, want_first), LAUNCHER: WORKERS + 1}
    written = jobs.log(jobs.pods("sum")[LAUNCHER]).splitlines()
    assert f"sum {SUM_OF_RANKS} of {WORKERS}" in written
    assert sorted(line.split()[-1] for line in written if line.startswith("started")) == WORKER_NAMES
    assert jobs.failed("sum") == 0
    assert set(jobs.restarts("sum").values()) == {0}


def test_mpijob_that_loses_its_node_begins_anew_and_goes_on_from_its_checkpoint(cluster, jobs, nodes, tmp_path):
    jobs.submit(squares("squares", tmp_path))
    cluster.until((tmp_path / "checkpoint").exists)
    before = jobs.uids("squares")
    node = nodes[jobs.pods("squares")["squares-worker-0"]["spec"]["nodeName"]]

    node.stop_kubelet()
    try:
        cluster.until(lambda: not jobs.uids("squares") & before)
    finally:
        node.start_kubelet()
    cluster.until(lambda: number_after("left", jobs.written("squares", "squares-launcher")) < BLOCKS)
    (tmp_path / "hurry").touch()
    jobs.until_succeeded("squares")

    assert number_after("sum", jobs.written("squares", "squares-launcher")) == SQUARES
    assert set(jobs.sizes("squares").values()) == {3}
    assert jobs.failed("squares") == 0
    assert set(jobs.restarts("squares").values()) == {0}
