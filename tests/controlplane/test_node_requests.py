"""A cluster autoscaler is asked for the nodes that gangs lack, on a real API server; what it does is done by hand."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from builders.manifests import gang
from eventually import eventually
from live.definitions import DEFINITIONS
from live.quick_start import Forked
from lockstep.cli import main
from lockstep_demo.operator_process import OperatorProcess, running
from sandbox import ApiError

ROOT = Path(__file__).parents[2]
RIGHTS = ROOT / "operator" / "rbac-provisioning.yaml"
ACCESS_REVIEWS = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
GROUP, KIND, PLURAL = "autoscaling.x-k8s.io", "ProvisioningRequest", "provisioningrequests"
CLASS = "best-effort-atomic-scale-up.autoscaling.x-k8s.io"


def needing(**properties):
    """The schema of an object that has all of these."""
    return {"type": "object", "required": [*properties], "properties": properties}


ANYTHING = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
TEXT = {"type": "string", "maxLength": 253}
POD_SET = needing(count={"type": "integer", "minimum": 1}, podTemplateRef=needing(name=TEXT))
SPEC = needing(podSets={"type": "array", "minItems": 1, "maxItems": 32, "items": POD_SET}, provisioningClassName=TEXT)
DEFINITION = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": f"{PLURAL}.{GROUP}"},
    "spec": {
        "group": GROUP,
        "scope": "Namespaced",
        "names": {"kind": KIND, "plural": PLURAL, "singular": KIND.lower(), "listKind": f"{KIND}List"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "subresources": {"status": {}},
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "required": ["spec"],
                        "properties": {"spec": SPEC, "status": ANYTHING},
                    }
                },
            }
        ],
    },
}


class Autoscaler:
    """What an autoscaler sees in one namespace, and what it would write there."""

    def __init__(self, arena):
        self._api = arena.api
        self._folder = f"/apis/{GROUP}/v1/namespaces/{arena.namespace}/{PLURAL}"
        self._templates = f"{arena.core}/podtemplates"

    def requests(self):
        return self._api.request("GET", self._folder)["items"]

    def templates(self):
        return self._api.request("GET", self._templates)["items"]

    def until_asked(self, count=1):
        def probe():
            found = self.requests()
            assert len(found) == count, found
            return found

        return eventually(probe)

    def say(self, request, kind, message):
        """Say in a request's status what has come of it."""
        status = {"conditions": [{"type": kind, "status": "True", "reason": kind, "message": message}]}
        self._api.request("PATCH", f"{self._folder}/{request['metadata']['name']}/status", {"status": status})

    def take_label(self, request):
        body = {"metadata": {"labels": None}}
        self._api.request("PATCH", f"{self._folder}/{request['metadata']['name']}", body)

    def is_left_alone(self):
        return not self.requests() and not self.templates()


@pytest.fixture(scope="module")
def allowed(installed):
    """The operator has the rights that this needs."""
    installed.apply(RIGHTS)
    eventually(lambda: may_list(installed))
    return installed


@pytest.fixture(scope="module")
def known(allowed):
    """A control plane that knows the kind."""
    allowed.request("POST", DEFINITIONS, DEFINITION)
    eventually(lambda: is_served(allowed))
    return allowed


@pytest.fixture
def autoscaler(arena):
    return Autoscaler(arena)


@pytest.fixture(scope="module")
def process(operator_kubeconfig, tmp_path_factory):
    """An operator that asks for nodes; it is yet to be started."""
    log = tmp_path_factory.mktemp("operator") / "log"
    return OperatorProcess(operator_kubeconfig, log, f"--provisioning-requests={CLASS}", spawn=Forked)


@pytest.fixture(scope="module")
def operator(known, process):
    """The same, running, in a cluster that has all it needs; one for all tests that want it."""
    with running(process) as operator:
        yield operator


def may_list(api):
    """Whether the API server has come to know of the operator's rights."""
    asked = {"group": GROUP, "resource": PLURAL, "verb": "list"}
    spec = {"user": "system:serviceaccount:lockstep-system:lockstep", "resourceAttributes": asked}
    return api.request("POST", ACCESS_REVIEWS, {"spec": spec})["status"]["allowed"]


def is_served(api):
    try:
        api.request("GET", f"/apis/{GROUP}/v1/{PLURAL}")
    except ApiError:
        return False
    return True


def is_refused(process, arena):
    """Start an operator that can't ask for nodes; returns the message of a gang that lacks some."""
    arena.add_nodes(1)
    with running(process):
        arena.submit(gang("heat", size=4, cpu="4"))
        arena.submit(gang("fits"))

        arena.until_placed("fits")
        message = arena.until("heat", "NodesRequested", "False", "RequestRefused")["message"]
        why = message.removeprefix("Lockstep can't ask for nodes: ").removesuffix(".")
        assert process.log_text().count(f"ProvisioningRequests can't be created: {why}") == 1
    return message


# In the order in which a cluster comes to it: first the rights, then the kind.


@pytest.mark.search("node requests in trouble")
def test_without_the_rights_nothing_else_suffers(process, arena):
    message = is_refused(process, arena)

    assert message.startswith("Lockstep can't ask for nodes: provisioningrequests.autoscaling.x-k8s.io is forbidden: ")


@pytest.mark.search("node requests in trouble")
def test_without_the_kind_nothing_else_suffers(allowed, process, arena):
    message = is_refused(process, arena)

    assert (
        message == "Lockstep can't ask for nodes: this cluster has no ProvisioningRequests (autoscaling.x-k8s.io/v1)."
    )


@pytest.mark.search("node requests in trouble")
def test_without_the_option_no_request_is_made(known, arena, autoscaler, operator_kubeconfig, tmp_path):
    """It comes before the first test with ``operator``, which would ask for this gang's nodes too."""
    with running(OperatorProcess(operator_kubeconfig, tmp_path / "log", spawn=Forked)) as operator:
        arena.submit(gang("heat", size=2, cpu="4"))
        arena.until("heat", "Planned", "False")

        asked = [name for name in operator.metrics() if PLURAL in name or "podtemplates" in name]
        assert asked == []
        assert autoscaler.is_left_alone()


def test_gang_is_asked_for_provided_for_and_placed(operator, arena, autoscaler):
    arena.submit(gang("heat", size=(3, 5), cpu="4"))

    [request] = autoscaler.until_asked()
    [template] = autoscaler.templates()
    assert request["spec"] == {
        "provisioningClassName": CLASS,
        "podSets": [{"count": 3, "podTemplateRef": {"name": template["metadata"]["name"]}}],
    }
    pod = template["template"]["spec"]
    assert pod["containers"][0]["resources"]["requests"]["cpu"] == "4"
    assert arena.pool in pod["nodeSelector"].values()
    autoscaler.say(request, "Accepted", "Provisioning Request was accepted.\n\x1b[31m")
    arena.until("heat", "NodesRequested", "True", "RequestAccepted")
    described = arena.api.kubectl("describe", "gangjob", "heat", "--namespace", arena.namespace)
    assert f"ProvisioningRequest {request['metadata']['name']} asks for nodes" in described
    assert "\x1b" not in described
    where = [f"--kubeconfig={arena.api.kubeconfig}", f"--namespace={arena.namespace}", "--output=json"]
    explained = CliRunner().invoke(main, ["explain", "gj/heat", *where])
    assert "the autoscaler has accepted it" in json.loads(explained.stdout)["nodesRequested"]

    arena.add_nodes(3)
    autoscaler.say(request, "Provisioned", "there")

    arena.until_placed("heat")
    eventually(autoscaler.is_left_alone)
    assert not arena.condition("heat", "NodesRequested")


def test_next_process_goes_on_with_the_requests_of_ten_gangs(operator, arena, autoscaler):
    for number in range(10):
        arena.submit(gang(f"heat-{number}", size=2, cpu="4"))
    before = {one["metadata"]["uid"] for one in autoscaler.until_asked(10)}

    operator.kill()
    operator.start()
    arena.add_nodes(4)

    arena.until_placed("heat-0", "heat-1")
    left = {one["metadata"]["uid"] for one in autoscaler.until_asked(8)}
    assert left < before


def test_request_goes_with_a_gang_that_is_deleted_and_another_of_its_name_has_its_own(operator, arena, autoscaler):
    arena.submit(gang("heat", size=2, cpu="4"))
    [first] = autoscaler.until_asked()
    arena.delete_gang("heat")
    arena.submit(gang("heat", size=2, cpu="4"))

    def is_renewed():
        return first["metadata"]["name"] not in [one["metadata"]["name"] for one in autoscaler.until_asked()]

    eventually(is_renewed)
    arena.change_gang("heat", suspend=True)
    eventually(autoscaler.is_left_alone)


def test_request_that_cannot_be_found_is_not_made_twice(operator, arena, autoscaler):
    arena.submit(gang("heat", size=2, cpu="4"))
    [request] = autoscaler.until_asked()
    arena.until("heat", "NodesRequested")
    autoscaler.take_label(request)
    operator.kill()
    operator.start()
    arena.submit(gang("later", size=2, cpu="4"))

    found = autoscaler.until_asked(2)
    arena.until("later", "NodesRequested")
    assert request["metadata"]["uid"] in {one["metadata"]["uid"] for one in found}
