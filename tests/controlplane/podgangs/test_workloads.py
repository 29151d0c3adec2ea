"""Workloads of Kueue, with the operator's rights on a real API server. The test is Kueue."""

from datetime import UTC, datetime

import pytest

from builders.manifests import gang
from eventually import eventually
from live.kinds_of_owners import StubKind, install_kinds

API = "kueue.x-k8s.io/v1beta2"
KINDS = (
    StubKind(API, "Workload", "workloads", has_status=True),
    StubKind(API, "AdmissionCheck", "admissionchecks", scope="Cluster", has_status=True),
    StubKind(API, "ResourceFlavor", "resourceflavors", scope="Cluster"),
)
SOURCES = "workload"


@pytest.fixture(scope="module")
def kueue(sources, operator):
    """An API server that knows the kinds of Kueue, a flavor, and an AdmissionCheck of Lockstep that is active."""
    assert operator
    install_kinds(sources, KINDS)
    for kind, name, spec in (
        ("AdmissionCheck", "placement", {"controllerName": "lockstep.dev/placement"}),
        ("ResourceFlavor", "plain", {}),
    ):
        body = {"apiVersion": API, "kind": kind, "metadata": {"name": name}, "spec": spec}
        sources.request("POST", f"/apis/{API}/{kind.lower()}s", body)
    eventually(lambda: is_active(sources))
    return sources


def is_active(api):
    status = api.request("GET", f"/apis/{API}/admissionchecks/placement").get("status", {})
    return [(one["type"], one["status"]) for one in status.get("conditions", [])] == [("Active", "True")]


class Workload:
    """The Workload heat, of two pods."""

    def __init__(self, arena, gangs):
        self.arena = arena
        self.gangs = gangs
        self.folder = f"/apis/{API}/namespaces/{arena.namespace}/workloads"

    def create(self):
        """Create it, and give it quota."""
        pods = {"name": "main", "count": 2, "template": self.gangs.template("")}
        body = {"apiVersion": API, "kind": "Workload", "metadata": {"name": "heat"}, "spec": {"podSets": [pods]}}
        self.arena.api.request("POST", self.folder, body)
        since = {"lastTransitionTime": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")}
        assigned = [{"name": "main", "count": 2, "flavors": {"cpu": "plain"}}]
        status = {
            "admission": {"podSetAssignments": assigned},
            "conditions": [{"type": "QuotaReserved", "status": "True", **since}],
            "admissionChecks": [{"name": "placement", "state": "Pending", "message": "", **since}],
        }
        self.arena.api.request("PATCH", f"{self.folder}/heat/status", {"status": status})

    def check(self):
        """What our check says of it."""
        [found] = self.arena.api.request("GET", f"{self.folder}/heat")["status"]["admissionChecks"]
        return found

    def delete(self):
        """Delete it."""
        self.arena.api.request("DELETE", f"{self.folder}/heat")


def test_pods_come_once_places_are_reserved_and_take_these(arena, kueue, gangs):
    assert kueue
    workload = Workload(arena, gangs)
    workload.create()
    eventually(lambda: "2 members" in workload.check()["message"])
    assert workload.check()["state"] == "Pending"

    arena.add_nodes(1, cpu="2")
    eventually(lambda: workload.check()["state"] == "Ready")
    [update] = workload.check()["podSetUpdates"]
    gangs.create_pods(update["labels"]["lockstep.dev/member-of"], "a", "b")

    gangs.until("workload.heat", "Placed")
    assert gangs.bound("workload.heat") == 2
    workload.delete()


def test_gangjob_waits_in_its_queue_and_runs_once_it_has_left_that(arena, kueue):
    assert kueue
    folder = f"/apis/{API}/namespaces/{arena.namespace}/workloads"
    heat = gang("heat")
    heat["metadata"]["labels"] = {"kueue.x-k8s.io/queue-name": "team"}
    arena.add_nodes(1)
    arena.submit(heat)

    def queues():
        return [one["spec"]["queueName"] for one in arena.api.request("GET", folder)["items"]]

    eventually(lambda: queues() == ["team"])
    eventually(lambda: arena.condition("heat", "Planned").get("reason") == "AwaitsQuota")
    _name_queue(arena, "other")
    eventually(lambda: queues() == ["other"])

    _name_queue(arena, None)
    arena.until_placed("heat")
    eventually(lambda: queues() == [])


def _name_queue(arena, queue):
    """Change the label of the GangJob heat; None removes it."""
    labels = {"labels": {"kueue.x-k8s.io/queue-name": queue}}
    arena.api.request("PATCH", f"{arena.gangs}/heat", {"metadata": labels})
