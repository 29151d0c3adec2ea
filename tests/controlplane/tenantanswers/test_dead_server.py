"""A server of answers that is dead keeps namespaces from being deleted, until the operator ends that."""

from contextlib import contextmanager

from eventually import eventually
from live.tenant_answers import asked, is_available
from sandbox import ApiError


@contextmanager
def dead(server):
    server.kill()
    try:
        yield
    finally:
        server.start()


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


def test_namespace_can_be_deleted_though_the_server_is_dead(arena, server):
    """Kubernetes deletes no namespace while a registered API does not answer; the operator ends that."""
    api = arena.api
    api.create_namespace("leaving")

    def is_stuck():
        conditions = api.request("GET", "/api/v1/namespaces/leaving")["status"].get("conditions", ())
        return any(one["type"] == "NamespaceDeletionDiscoveryFailure" and one["status"] == "True" for one in conditions)

    with dead(server):
        eventually(lambda: not is_available(api), every=0.25)
        api.request("DELETE", "/api/v1/namespaces/leaving")
        eventually(is_stuck, every=0.25)
        eventually(lambda: is_gone(api, "leaving"), seconds=240, every=1)
    # One that lives registers itself again.
    eventually(lambda: is_available(api), every=0.25)
    assert asked(arena, api.kubeconfig, "tenant/queues/default")["kind"] == "Queue"
