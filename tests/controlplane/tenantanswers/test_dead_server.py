"""A server of answers that is dead keeps namespaces from being deleted, until the operator or its users end that."""

import re
import shlex

from docs.markdown import ROOT
from eventually import eventually
from live.outages import dead
from live.tenant_answers import asked, is_available
from sandbox import ApiError

PAGE = ROOT / "docs" / "operations" / "sharing.md"


def is_gone(api, namespace):
    try:
        return not api.request("GET", f"/api/v1/namespaces/{namespace}")
    except ApiError as error:
        return error.status == 404


def test_namespace_can_be_deleted_while_the_server_lives(arena):
    arena.api.create_namespace("passing")
    arena.api.request("DELETE", "/api/v1/namespaces/passing")

    eventually(lambda: is_gone(arena.api, "passing"), every=0.25)
    assert is_available(arena.api)


def delete_in_vain(api, namespace):
    """Delete a namespace, which stays as long as the APIService leads to a dead server."""
    eventually(lambda: not is_available(api), every=0.25)
    api.request("DELETE", f"/api/v1/namespaces/{namespace}")

    def is_stuck():
        conditions = api.request("GET", f"/api/v1/namespaces/{namespace}")["status"].get("conditions", ())
        return any(one["type"] == "NamespaceDeletionDiscoveryFailure" and one["status"] == "True" for one in conditions)

    eventually(is_stuck, every=0.25)


def test_namespace_can_be_deleted_though_the_server_is_dead(arena, server):
    """Kubernetes deletes no namespace while a registered API does not answer; the operator ends that."""
    api = arena.api
    api.create_namespace("leaving")

    with dead(server):
        delete_in_vain(api, "leaving")
        eventually(lambda: is_gone(api, "leaving"), seconds=240, every=1)
    # One that lives registers itself again.
    eventually(lambda: is_available(api), every=0.25)
    assert asked(arena, api.kubeconfig, "tenant/queues/default")["kind"] == "Queue"


def test_command_of_the_page_ends_that_though_the_operator_is_dead_too(arena, server, operator):
    api = arena.api
    api.create_namespace("leaving-too")
    [command] = re.findall(r"If the operator is dead too, run\s+`kubectl ([^`]*)`", PAGE.read_text())

    with dead(operator), dead(server):
        delete_in_vain(api, "leaving-too")
        api.kubectl(*shlex.split(command))
        eventually(lambda: is_gone(api, "leaving-too"), seconds=240, every=1)

    eventually(lambda: is_available(api), every=0.25)
