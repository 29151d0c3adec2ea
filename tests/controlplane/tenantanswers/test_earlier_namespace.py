"""A namespace is shown nothing of an earlier one that had its name, also not from a plan that is kept."""

import json

import pytest

from builders.manifests import gang
from eventually import eventually
from live.tenant_answers import HOUR, asked, kubeconfig_of, plan_of
from sandbox import ApiError, KubectlError

NAMESPACE, EARLIER = "second-hand", "yak-run"


def is_gone(cluster, namespace):
    try:
        cluster.request("GET", f"/api/v1/namespaces/{namespace}")
    except ApiError as error:
        return error.status == 404
    return False


class Asking:
    """Asks for the queue until there is an answer, and keeps the sentences of refusals on the way."""

    def __init__(self, arena, kubeconfig):
        self._arena, self._kubeconfig, self.refusals = arena, kubeconfig, []

    def queue(self):
        try:
            return json.dumps(asked(self._arena, self._kubeconfig, f"{NAMESPACE}/queues/default"))
        except KubectlError as error:
            self.refusals.append(str(error))
            return ""


@pytest.fixture(scope="module")
def next_owner(arena):
    """The editor of a namespace whose name was another one's, of which the plan that is kept has a gang."""
    cluster = arena.api
    cluster.create_namespace(NAMESPACE)
    before = kubeconfig_of(cluster, NAMESPACE, "before", "edit")
    path = f"/apis/lockstep.dev/v1alpha1/namespaces/{NAMESPACE}/gangjobs"
    cluster.request("POST", path, gang(EARLIER, size=9, cpu="3", **HOUR))
    asking = Asking(arena, before)
    eventually(lambda: EARLIER in asking.queue(), every=2)
    cluster.request("DELETE", f"/api/v1/namespaces/{NAMESPACE}")
    eventually(lambda: is_gone(cluster, NAMESPACE), every=0.1)
    cluster.create_namespace(NAMESPACE)
    return kubeconfig_of(cluster, NAMESPACE, "after", "edit")


def test_next_owner_of_a_name_reads_nothing_of_the_one_before(arena, next_owner):
    asking = Asking(arena, next_owner)
    queue = eventually(asking.queue, every=2)
    timeline = asked(arena, next_owner, f"{NAMESPACE}/timelines/default")
    plan = plan_of(arena, next_owner, gang(EARLIER, size=1, cpu="3", **HOUR), NAMESPACE)

    assert [one for one in asking.refusals if "before this namespace was created" not in one or "yak" in one] == []
    assert [text for text in (queue, json.dumps(timeline)) if "yak" in text] == []
    assert plan["plan"]["delays"] == []
    with pytest.raises(KubectlError, match="NotFound"):
        asked(arena, next_owner, f"{NAMESPACE}/gangjobexplanations/{EARLIER}")
