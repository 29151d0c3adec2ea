"""What the tests of a file leave on a control plane that other files share."""

from http import HTTPStatus

import pytest

from builders.manifests import gang, member_container, priority_class
from eventually import eventually
from live.arena import GANGS, PRIORITIES
from live.definitions import DEFINITIONS
from live.kinds_of_owners import StubKind, install_kinds
from live.leftovers import Leftovers
from sandbox import ApiError, Node

FILE = "controlplane/test_first.py"
CONFIG_MAPS = "/api/v1/namespaces/lockstep-system/configmaps"


@pytest.fixture
def gangs(namespace):
    return f"{GANGS}/namespaces/{namespace}/gangjobs"


def exists(api, path):
    try:
        api.request("GET", path)
    except ApiError as error:
        if error.status != HTTPStatus.NOT_FOUND:
            raise
        return False
    return True


def test_all_that_a_file_leaves_is_deleted_but_what_was_there_before(installed, namespace, gangs):
    """A gang that waits, an owner that makes its pod again, a node and a priority class."""
    installed.request("POST", gangs, gang("before"))
    leftovers = Leftovers(installed)
    sets, labels = f"/apis/apps/v1/namespaces/{namespace}/replicasets", {"app": "first"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [member_container()]}}
    spec = {"replicas": 1, "selector": {"matchLabels": labels}, "template": template}
    left = {
        gangs: gang("first"),
        sets: {"metadata": {"name": "first"}, "spec": spec},
        PRIORITIES: priority_class("first", 7),
    }
    for folder, manifest in left.items():
        installed.request("POST", folder, manifest)
    installed.create_nodes([Node(name="first")])
    eventually(lambda: installed.request("GET", f"/api/v1/namespaces/{namespace}/pods")["items"])

    leftovers.delete(FILE)

    assert not [folder for folder in (*left, "/api/v1/nodes") if exists(installed, f"{folder}/first")]
    assert not installed.request("GET", f"/api/v1/namespaces/{namespace}/pods")["items"]
    assert exists(installed, f"{gangs}/before")


def test_file_whose_object_cannot_be_deleted_is_named(installed, gangs):
    leftovers = Leftovers(installed)
    kept = gang("kept")
    kept["metadata"]["finalizers"] = ["example.com/hold"]
    installed.request("POST", gangs, kept)

    with pytest.raises(AssertionError, match=f"{FILE} leaves on the control plane tests: {gangs}/kept"):
        leftovers.delete(FILE, seconds=0)

    installed.request("PATCH", f"{gangs}/kept", {"metadata": {"finalizers": None}})
    leftovers.delete(FILE)


def test_options_of_an_operator_are_deleted(installed):
    """Else commands in later files would plan by them, such as for its pool of nodes only."""
    settings = {"metadata": {"name": "lockstep-settings"}, "data": {"node-selector": "example.com/pool=first"}}
    installed.request("POST", CONFIG_MAPS, settings)

    Leftovers(installed).delete(FILE)

    assert not exists(installed, f"{CONFIG_MAPS}/lockstep-settings")
    assert exists(installed, f"{CONFIG_MAPS}/kube-root-ca.crt")


def test_kinds_of_other_projects_are_deleted(installed):
    leftovers = Leftovers(installed)
    install_kinds(installed, [StubKind("example.com/v1", kind, f"{kind.lower()}s") for kind in ("Ship", "Harbour")])

    leftovers.delete(FILE)

    assert not exists(installed, f"{DEFINITIONS}/ships.example.com")
    assert not exists(installed, f"{DEFINITIONS}/harbours.example.com")
