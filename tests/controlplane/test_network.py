"""Members find each other, and wait for each other, on a real API server with Kubernetes' own controllers."""

import pytest

from builders.manifests import gang
from eventually import eventually
from live.arena import EVENTS

pytestmark = pytest.mark.usefixtures("operator")

SLICES = "/apis/discovery.k8s.io/v1"
GO = "lockstep.dev/go"
BARRIER = {"startBarrier": {"timeout": "1m"}}
COME_AND_GO = {"mode": "Members", "restartTime": "1s", "minInterval": "1s"}
UNREADY = [{"type": "Ready", "status": "False"}]


def slices(arena, gang):
    folder = f"{SLICES}/namespaces/{arena.namespace}/endpointslices"
    return arena.api.request("GET", f"{folder}?labelSelector=kubernetes.io%2Fservice-name%3D{gang}")["items"]


def named(arena, gang):
    """The host names that a cluster's DNS has below the gang's Service: those of endpoints that count as ready."""
    endpoints = [one for each in slices(arena, gang) for one in each.get("endpoints") or ()]
    return sorted(one["hostname"] for one in endpoints if one["conditions"]["ready"])


def host_file(arena, gang):
    return arena.api.request("GET", f"{arena.core}/configmaps/{gang}-hosts")["data"]["hostfile"]


def names_of(arena, *resources):
    listed = [one for each in resources for one in arena.api.request("GET", f"{arena.core}/{each}")["items"]]
    return {one["metadata"]["name"] for one in listed}


def may_go(arena, gang):
    return [GO in (pod["metadata"].get("annotations") or {}) for pod in arena.pods(gang)]


def test_every_member_has_a_name_whether_it_is_ready_or_not(arena):
    arena.add_nodes(2)
    arena.submit(gang("heat", size=3))
    arena.until_placed("heat")
    eventually(lambda: named(arena, "heat") == ["heat-1-0", "heat-1-1", "heat-1-2"])

    arena.patch_pod_status("heat-1-1", {"conditions": UNREADY})

    eventually(lambda: arena.pods("heat")[1]["status"]["conditions"][0]["status"] == "False")
    assert named(arena, "heat") == ["heat-1-0", "heat-1-1", "heat-1-2"]


def test_members_that_join_a_gang_have_names_and_those_that_have_left_have_none(arena):
    arena.add_nodes(2)
    arena.submit(gang("heat", size=(2, 4), work={"serialTime": "400h"}, elastic={**COME_AND_GO, "size": 2}))
    eventually(lambda: "startedAt" in arena.status("heat"), seconds=60)
    assert named(arena, "heat") == ["heat-1-0", "heat-1-1"]

    arena.change_gang("heat", elastic={**COME_AND_GO, "size": 4})
    eventually(lambda: named(arena, "heat") == ["heat-1-0", "heat-1-1", "heat-1-2", "heat-1-3"], seconds=90)

    arena.change_gang("heat", elastic={**COME_AND_GO, "size": 3})
    eventually(lambda: named(arena, "heat") == ["heat-1-0", "heat-1-1", "heat-1-2"], seconds=90)


def test_longest_name_that_a_gang_may_have_will_do(arena):
    name = "1" + "a" * 51
    arena.add_nodes(1)
    arena.submit(gang(name, network={"rendezvous": "MPI"}))
    arena.until_placed(name)

    eventually(lambda: named(arena, name) == [f"{name}-1-0", f"{name}-1-1"])
    assert host_file(arena, name) == f"{name}-1-0.{name} slots=1\n{name}-1-1.{name} slots=1\n"


def test_next_attempt_has_a_host_file_of_its_own(arena):
    arena.add_nodes(1)
    arena.submit(gang("heat", network={"rendezvous": "MPI", "launcher": "MPICH"}))
    arena.until_placed("heat")
    assert host_file(arena, "heat") == "heat-1-0.heat:1\nheat-1-1.heat:1\n"

    arena.delete_pod("heat-1-1")

    eventually(lambda: arena.status("heat")["attempt"] == 2 and arena.condition("heat", "Placed")["status"] == "True")
    assert host_file(arena, "heat") == "heat-2-0.heat:1\nheat-2-1.heat:1\n"


def test_everything_goes_with_the_gang(arena):
    arena.add_nodes(1)
    arena.submit(gang("heat", network={"rendezvous": "MPI"}))
    arena.until_placed("heat")

    arena.delete_gang("heat")

    # Kubernetes' garbage collector looks for new kinds, such as ours, twice a minute.
    eventually(lambda: not {"heat", "heat-hosts"} & names_of(arena, "services", "configmaps"), seconds=120)


def test_gang_that_is_submitted_again_at_once_has_a_service_of_its_own(arena):
    arena.add_nodes(1)
    for _ in range(3):
        uid = arena.submit(gang("heat", network={}))["metadata"]["uid"]
        arena.until_placed("heat")
        service = arena.api.request("GET", f"{arena.core}/services/heat")
        assert service["metadata"]["ownerReferences"][0]["uid"] == uid
        arena.delete_gang("heat")


def test_foreign_service_is_left_alone(arena):
    arena.add_nodes(1)
    arena.create({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "heat"}, "spec": {"clusterIP": "None"}})
    arena.create({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "cold"}, "spec": {"clusterIP": "None"}})
    arena.submit(gang("heat", network={}))
    arena.submit(gang("cold"))

    arena.until("heat", "Placed", "False", "NetworkRefused")
    arena.until_placed("cold")
    arena.until_events("cold", "NamesDoNotResolve")
    assert "selector" not in arena.api.request("GET", f"{arena.core}/services/heat")["spec"]

    arena.delete(f"{arena.core}/services/heat")
    arena.until_placed("heat")


def test_gates_are_opened_once_all_members_are_up(arena):
    arena.add_nodes(1)
    arena.submit(gang("heat", size=3, network=BARRIER))

    arena.until_placed("heat")

    eventually(lambda: may_go(arena, "heat") == [True] * 3)
    assert [pod["spec"]["initContainers"][-1]["name"] for pod in arena.pods("heat")] == ["lockstep-gate"] * 3
    eventually(lambda: "startedAt" in arena.status("heat"))


def test_gate_suits_the_strictest_pod_security(arena):
    arena.api.request(
        "PATCH",
        f"/api/v1/namespaces/{arena.namespace}",
        {"metadata": {"labels": {"pod-security.kubernetes.io/enforce": "restricted"}}},
    )
    arena.add_nodes(1)
    strict = {
        "allowPrivilegeEscalation": False,
        "capabilities": {"drop": ["ALL"]},
        "runAsNonRoot": True,
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    arena.submit(gang("heat", container={"securityContext": strict}, network=BARRIER))

    arena.until_placed("heat")


def test_nothing_is_said_of_names_where_all_is_well(arena):
    arena.add_nodes(1)
    arena.submit(gang("heat"))
    arena.until_placed("heat")

    listed = arena.api.request("GET", f"{EVENTS}/namespaces/{arena.namespace}/events")["items"]
    assert "NamesDoNotResolve" not in {event["reason"] for event in listed}
