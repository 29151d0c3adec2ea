"""A control plane with PodGroups of Kubernetes' own, and an operator whose sources are these and Jobs.

``make test-versions`` runs this folder with each release of Kubernetes.
"""

import pytest

from live.arena import Arena
from live.leftovers import shared_by_files
from live.pod_gangs import PodGangs
from live.quick_start import Forked
from live.scheduling_groups import RELEASE, SchedulingGroups, with_scheduling_groups
from lockstep_demo.operator_process import OperatorProcess, running

# What the release of this run does not do.
if not RELEASE.condition:
    collect_ignore = ["test_in_1_36.py", "test_scheduling_groups.py", "test_since_1_37.py"]
elif RELEASE.gives_all_jobs_groups:
    collect_ignore = ["test_in_1_35.py", "test_in_1_36.py"]
else:
    collect_ignore = ["test_in_1_35.py", "test_since_1_37.py"]


@pytest.fixture(scope="package")
def plane(pytestconfig, tmp_path_factory):
    """A control plane of the folder's own: the others do not have this API."""
    with shared_by_files(pytestconfig, with_scheduling_groups(tmp_path_factory.mktemp("groups"))) as api:
        yield api


@pytest.fixture(scope="package")
def account(plane):
    """What the operator logs in with."""
    return plane.kubeconfig_for_service_account("lockstep-system", "lockstep")


@pytest.fixture(scope="package")
def operator(account, tmp_path_factory):
    """An operator that is ready; one for all tests of the folder."""
    log = tmp_path_factory.mktemp("operator") / "log"
    options = "--sources=pods,job,sizedjob,single,schedulinggroup"
    with running(OperatorProcess(account, log, options, spawn=Forked)) as process:
        yield process


@pytest.fixture
def arena(plane, request):
    """A namespace and nodes of the test's own."""
    name = f"test-{abs(hash(request.node.nodeid)) % 10**12}"
    plane.create_namespace(name)
    arena = Arena(plane, name)
    yield arena
    arena.close()


@pytest.fixture
def gangs(arena):
    """Gangs and pods of the test's own."""
    gangs = PodGangs(arena)
    yield gangs
    gangs.close()


@pytest.fixture
def groups(arena):
    """The PodGroups of the test's own."""
    groups = SchedulingGroups(arena)
    yield groups
    groups.close()
