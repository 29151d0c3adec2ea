"""The pace of the slowest, where a real API server decides about each resize; no kubelet puts it in force."""

import pytest

from builders.manifests import bid, foreign_pod, gang, member_container, quota
from eventually import eventually
from live.in_force import put_in_force
from lockstep.act.requests.api_refusals import is_pod_gone_or_changed
from lockstep.api.client.answer import Answer
from lockstep.api.names import GO_ANNOTATION
from sandbox import ApiError

pytestmark = pytest.mark.usefixtures("operator")

PACED, WHOLE = ("1500m", "1650m"), ("3", None)
SHARED = ("1500m", None)
A_TENTH = ("300m", "330m")
OUT_OF_THE_WAY = ("3", "4")
FREED = {"requests.cpu": "4500m"}


@pytest.fixture
def offered(arena):
    """Two nodes of 4 CPUs: a member on the first needs half of what one on the second does."""
    fast, slow = arena.add_nodes(2, cpu="4")
    arena.create(bid(fast, capacity="2"))
    arena.create(bid(slow, capacity="1"))
    return fast, slow


def cpu_by_node(arena, name="heat"):
    """(request, limit) of each member of a gang with one member a node, by node."""
    found = {}
    for pod in arena.pods(name):
        resources = pod["spec"]["containers"][0]["resources"]
        amounts = (resources.get(kind, {}).get("cpu") for kind in ("requests", "limits"))
        found[pod["spec"]["nodeName"]] = tuple(amounts)
    return found


def until_cpu(arena, *want, nodes):
    def probe():
        assert cpu_by_node(arena) == dict(zip(nodes, want, strict=True)), arena.status("heat").get("pace")
        return True

    eventually(probe)


def until_pace_says(arena, words):
    eventually(lambda: words in arena.status("heat").get("pace", {}).get("message", ""))


def submit_unpaced(arena, **more):
    arena.submit(gang("heat", cpu="3", **more))
    eventually(lambda: arena.status("heat").get("startedAt"))
    put_in_force(arena, "heat")


def submit(arena, *, pace="Local", **more):
    submit_unpaced(arena, **more)
    arena.change_gang("heat", pace=pace)


def test_member_on_the_fast_node_gives_back_and_another_gang_gets_it(arena, offered):
    fast, slow = offered
    submit(arena)
    until_cpu(arena, PACED, WHOLE, nodes=offered)
    eventually(lambda: arena.status("heat")["pace"]["givenBack"] == "1500m")
    put_in_force(arena, "heat")

    arena.submit(gang("other", size=1, cpu="2"))

    arena.until_placed("other")
    assert arena.nodes_of("other") == [fast]
    assert arena.condition("heat", "Placed")["status"] == "True"
    assert [pod["status"]["qosClass"] for pod in arena.pods("heat")] == ["Burstable", "Burstable"]
    assert [event["note"] for event in arena.events("heat") if event["reason"] == "GangPaced"] == [
        f"1 of 2 members is paced, which gives back 1.5 cores. The slowest node is {slow}."
    ]


@pytest.mark.search("waits of half a minute")
def test_member_that_shares_requests_less_and_keeps_its_room_until_it_gives_that_back(arena, offered):
    fast, slow = offered
    submit(arena, pace="Share")
    until_cpu(arena, SHARED, WHOLE, nodes=offered)
    eventually(lambda: arena.status("heat")["pace"]["givenBack"] == "1500m")
    put_in_force(arena, "heat")
    until_pace_says(
        arena,
        f"1 of 2 members is paced, which lowers requests by 1.5 cores, and keeps limits. The slowest node is {slow}.",
    )

    arena.submit(gang("other", size=1, cpu="2"))

    eventually(lambda: arena.condition("other", "Planned").get("status") == "False")
    arena.change_gang("heat", pace="Local")
    arena.until_placed("other")
    assert arena.nodes_of("other") == [fast]


def test_gang_of_guaranteed_members_can_not_share(arena, offered):
    same = {"cpu": "3", "memory": "1Gi"}
    arena.submit(gang("heat", cpu="3", pace="Share", container={"resources": {"requests": same, "limits": same}}))

    eventually(lambda: arena.condition("heat", "Accepted").get("reason") == "UnsupportedField")
    assert "pace: Share can't lower the requests" in arena.condition("heat", "Accepted")["message"]


@pytest.mark.search("waits of half a minute")
def test_quota_has_room_for_what_members_request_less_and_may_lack_it_when_they_want_it_back(arena, offered):
    arena.create(quota("cpu", **{"requests.cpu": "6"}))
    submit(arena, pace="Share")
    until_cpu(arena, SHARED, WHOLE, nodes=offered)
    put_in_force(arena, "heat")
    eventually(lambda: arena.api.request("GET", f"{arena.core}/resourcequotas/cpu")["status"]["used"] == FREED)
    arena.create(foreign_pod("other", offered[0], cpu="1"))

    arena.change_gang("heat", pace="None")

    until_pace_says(arena, "exceeded quota")
    assert cpu_by_node(arena) == dict(zip(offered, (SHARED, WHOLE), strict=True))


@pytest.mark.search("waits of half a minute")
def test_owner_gets_all_back_that_others_have_not_taken(arena, offered):
    submit(arena)
    until_cpu(arena, PACED, WHOLE, nodes=offered)

    arena.change_gang("heat", pace="None")

    until_cpu(arena, OUT_OF_THE_WAY, WHOLE, nodes=offered)
    eventually(lambda: "pace" not in arena.status("heat"))


@pytest.mark.search("waits of half a minute")
def test_pace_follows_the_bids(arena, offered):
    submit(arena)
    until_cpu(arena, PACED, WHOLE, nodes=offered)

    arena.patch_bid(offered[1], dutyCycle="1")

    until_cpu(arena, ("750m", "825m"), WHOLE, nodes=offered)


@pytest.mark.search("waits of half a minute")
def test_owner_who_is_back_has_most_of_the_node_and_the_gang_goes_on(arena, offered):
    fast, _ = offered
    arena.patch_bid(fast, onReturn="Pace")
    submit_unpaced(arena)

    arena.patch_bid(fast, ownerPresent=True)
    until_cpu(arena, A_TENTH, WHOLE, nodes=offered)
    put_in_force(arena, "heat")
    until_pace_says(arena, f"The owner of {fast} is back: members there have a tenth of their CPU.")
    eventually(lambda: arena.status("heat")["pace"]["givenBack"] == "2700m")

    arena.patch_bid(fast, ownerPresent=False)
    until_cpu(arena, OUT_OF_THE_WAY, WHOLE, nodes=offered)
    eventually(lambda: "pace" not in arena.status("heat"))
    assert (arena.status("heat")["attempt"], arena.condition("heat", "Placed")["status"]) == (1, "True")


@pytest.mark.search("waits of half a minute")
def test_quota_that_others_have_used_up_leaves_the_request_and_gives_the_limit(arena, offered):
    arena.create(quota("cpu", **{"requests.cpu": "6"}))
    submit(arena)
    until_cpu(arena, PACED, WHOLE, nodes=offered)
    put_in_force(arena, "heat")
    eventually(lambda: arena.api.request("GET", f"{arena.core}/resourcequotas/cpu")["status"]["used"] == FREED)
    arena.create(foreign_pod("other", offered[0], cpu="1"))

    arena.change_gang("heat", pace="None")

    until_cpu(arena, ("1500m", "4"), WHOLE, nodes=offered)
    until_pace_says(arena, "exceeded quota")


def test_limit_range_that_refuses_is_reported(arena, offered):
    limits = [{"type": "Container", "min": {"cpu": "2"}}]
    arena.api.request("POST", f"{arena.core}/limitranges", {"metadata": {"name": "least"}, "spec": {"limits": limits}})
    eventually(lambda: arena.dry_run({"containers": [member_container("1")]}) is None)

    submit(arena)

    until_pace_says(arena, "minimum cpu usage per Container is 2")
    assert cpu_by_node(arena) == dict.fromkeys(offered, WHOLE)


def test_guaranteed_members_stay_guaranteed(arena, offered):
    same = {"cpu": "3", "memory": "1Gi"}
    submit(arena, container={"resources": {"requests": same, "limits": same}})

    until_cpu(arena, ("1650m", "1650m"), ("3", "3"), nodes=offered)
    assert {pod["status"]["qosClass"] for pod in arena.pods("heat")} == {"Guaranteed"}


def test_nodes_that_can_not_resize_are_reported(arena, offered):
    """The members here run on nodes that do not say what is in force."""
    arena.submit(gang("heat", cpu="3", pace="Local"))

    until_pace_says(arena, "Pod running on node without support for resize")
    assert cpu_by_node(arena) == dict.fromkeys(offered, WHOLE)


def test_api_server_refuses_to_resize_another_pod_of_that_name(arena, offered):
    submit(arena)
    [first, _] = arena.pods("heat")
    path = f"{arena.core}/pods/{first['metadata']['name']}"

    refused = patch_of_another(arena, f"{path}/resize", spec={"containers": first["spec"]["containers"]})

    assert "metadata.uid: Invalid value" in refused.message
    assert is_pod_gone_or_changed(refused)
    assert is_pod_gone_or_changed(patch_of_another(arena, path, annotations={GO_ANNOTATION: "true"}))
    assert is_pod_gone_or_changed(patch_of_another(arena, f"{path}/status", status={"reason": "Evicted"}))


def patch_of_another(arena, path, *, annotations=None, **parts):
    """What the API server answers to a patch for a pod that had that name before."""
    with pytest.raises(ApiError) as refused:
        arena.api.request("PATCH", path, {"metadata": {"uid": "other", "annotations": annotations or {}}, **parts})
    return Answer(refused.value.status, {"message": str(refused.value)})
