"""An MPIJob as its users write it: a launcher with `mpirun`, workers with `sshd`, and the keys of the MPI operator."""

from collections.abc import Iterator

import pytest

from e2e.controllers.kubeflow.mpi_operator import mpi_operator
from e2e.nodes.jobs import template
from e2e.nodes.unchanged.kubeflow_jobs import KubeflowJobs, replicas

WORKERS = 4
SUM_OF_RANKS = sum(range(1, WORKERS + 1))
WORKER_NAMES = [f"sum-worker-{index}" for index in range(WORKERS)]
LAUNCHER = "sum-launcher"
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


def mpijob(name, launcher_comes):
    """Return an MPIJob that adds up the ranks of its workers' processes."""
    command = ["mpirun", "--allow-run-as-root", "/usr/local/bin/sum-of-ranks"]
    launcher = template("when-workers-listen", args=command, name="mpi-launcher")
    sshd = ["-De", "-f", "/root/.sshd_config"]
    worker = template("/usr/sbin/sshd", args=sshd, name="mpi-worker", readinessProbe=LISTENS)
    spec = {
        "launcherCreationPolicy": launcher_comes,
        "mpiReplicaSpecs": {"Launcher": replicas(1, launcher), "Worker": replicas(WORKERS, worker)},
    }
    return {"apiVersion": "kubeflow.org/v2beta1", "kind": "MPIJob", "metadata": {"name": name}, "spec": spec}


@pytest.mark.parametrize(
    ("launcher_comes", "want_first"),
    [
        pytest.param("AtStartup", WORKERS + 1, id="launcher comes with the workers"),
        pytest.param("WaitForWorkersReady", WORKERS, id="launcher comes once the workers are ready"),
    ],
)
def test_mpijob_is_placed_whole_and_computes(jobs, launcher_comes, want_first):
    jobs.submit(mpijob("sum", launcher_comes))

    jobs.until_succeeded("sum")

    assert jobs.sizes("sum") == {**dict.fromkeys(WORKER_NAMES, want_first), LAUNCHER: WORKERS + 1}
    written = jobs.log(jobs.pods("sum")[LAUNCHER]).splitlines()
    assert f"sum {SUM_OF_RANKS} of {WORKERS}" in written
    assert sorted(line.split()[-1] for line in written if line.startswith("started")) == WORKER_NAMES
    assert jobs.failed("sum") == 0
    assert set(jobs.restarts("sum").values()) == {0}
