"""A PyTorchJob as its users write it: a master and workers that train over gloo. Its image is a gigabyte: `TORCH=1`."""

from collections.abc import Iterator

import pytest

from e2e.controllers.kubeflow.training_operator import CERTIFICATES, POD_GROUPS, training_operator
from e2e.controllers.own_certificates import mounted
from e2e.members.image import TORCH_NAME
from e2e.nodes.jobs import number_after, template
from e2e.nodes.unchanged.kubeflow_jobs import KubeflowJobs, replicas

WORKERS = 3
PODS = ["line-master-0", *(f"line-worker-{index}" for index in range(WORKERS))]
# Each pod has a line of its own, with the slope rank + 1 and the intercept rank.
MEAN_OF_LINES = (sum(range(1, len(PODS) + 1)) / len(PODS), sum(range(len(PODS))) / len(PODS))
# Workers of the training operator wait for the name of the master in an image of its choice.
WAITS_IN = f"--pytorch-init-container-image={TORCH_NAME}"


@pytest.fixture(scope="module")
def controller(sandbox, tmp_path_factory) -> Iterator[None]:
    """The training operator. It makes PodGroups."""
    folder = tmp_path_factory.mktemp("training-operator")
    with mounted(sandbox, CERTIFICATES), training_operator(sandbox, folder, *POD_GROUPS, WAITS_IN):
        yield


@pytest.fixture
def jobs(controller, cluster) -> Iterator[KubeflowJobs]:
    """PyTorchJobs; none is left after a test."""
    jobs = KubeflowJobs(cluster, "pytorchjob")
    yield jobs
    jobs.delete_all()


def pytorchjob(name):
    """Return a PyTorchJob whose pods train one model."""
    pods = template("train", name="pytorch", image=TORCH_NAME)
    never = {"restartPolicy": "Never"}
    spec = {"pytorchReplicaSpecs": {"Master": replicas(1, pods, **never), "Worker": replicas(WORKERS, pods, **never)}}
    return {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "metadata": {"name": name}, "spec": spec}


def test_pytorchjob_is_placed_whole_and_trains(jobs):
    jobs.submit(pytorchjob("line"))

    jobs.until_succeeded("line")

    assert jobs.sizes("line") == dict.fromkeys(PODS, len(PODS))
    logs = [jobs.log(pod) for pod in jobs.pods("line").values()]
    assert {(number_after("slope", log), number_after("intercept", log)) for log in logs} == {MEAN_OF_LINES}
    assert jobs.failed("line") == 0
    assert set(jobs.restarts("line").values()) == {0}
