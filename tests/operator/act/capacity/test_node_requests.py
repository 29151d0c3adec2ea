"""Nodes for gangs that have no place are asked for while they are needed, and no longer."""

import asyncio
import logging
from contextlib import asynccontextmanager

import pytest

from builders.served import gang, node, role
from fake_cluster.api import DELETE, GET, POST, Refusal
from fake_cluster.jumping import now, until
from fake_cluster.rig import DEFAULT, condition, end, gang_place, is_placed, operator_over, pods_of, status_of
from fake_cluster.store import Place
from lockstep.act.capacity import node_requests
from lockstep.act.capacity.asking_for_nodes import NodeAsker
from lockstep.act.capacity.node_requests import NodeRequests

pytestmark = pytest.mark.asyncio

CLASS = "check-capacity.autoscaling.x-k8s.io"
BIG = {"size": 4, "cpu": "8"}
ABSENT = Refusal(code=404, message="the server could not find the requested resource")
BROKEN = Refusal(code=500, message="a webhook does not answer")
KEPT = Refusal(code=403, message="a policy keeps it")
FORBIDDEN = Refusal(
    code=403,
    message='provisioningrequests.autoscaling.x-k8s.io is forbidden: User "lockstep" cannot create resource '
    '"provisioningrequests" in API group "autoscaling.x-k8s.io" in the namespace "default"',
)


@asynccontextmanager
async def asking(*gangs, nodes=()):
    """An operator over these nodes (by default two of 8 CPUs) and gangs, which asks for nodes."""
    async with operator_over(*nodes, gangs=gangs) as (api, parts), asks(parts):
        yield api, parts


@asynccontextmanager
async def asks(parts):
    """A process that asks for nodes, for the length of the block."""
    task = asyncio.create_task(NodeRequests(parts.services, CLASS).keep_asked())
    try:
        yield
    finally:
        await end([task])


def requests(api, owner=None):
    """The requests for nodes that are there, or those of one gang."""
    found = api.store.objects("provisioningrequests")
    return [one for one in found if owner in (None, one["metadata"]["ownerReferences"][0]["name"])]


def templates(api):
    return api.store.objects("podtemplates")


def place_of(request):
    return Place("provisioningrequests", DEFAULT, request["metadata"]["name"])


def message_of(api, name="g"):
    """What the gang's owner reads of its nodes; empty where that is nothing."""
    conditions = status_of(api, name).get("conditions", [])
    return next((one["message"] for one in conditions if one["type"] == "NodesRequested"), "")


def answer(api, request, *conditions):
    """Say of a request what an autoscaler would: pairs of a type and a message."""
    said = [{"type": kind, "status": "True", "message": message} for kind, message in conditions]
    api.store.change(place_of(request), status={"conditions": said})


def written(api, *resources):
    return [one for one in api.writes if one.resource in resources]


async def a_minute():
    await asyncio.sleep(60)


async def test_gang_that_lacks_nodes_has_its_fewest_members_asked_for():
    async with asking(gang("g", **{**BIG, "most": 9})) as (api, _):
        [request] = await until(lambda: requests(api))

        assert request["spec"]["provisioningClassName"] == CLASS
        [pods] = request["spec"]["podSets"]
        [template] = templates(api)
        assert pods == {"podTemplateRef": {"name": template["metadata"]["name"]}, "count": 4}
        assert template["template"]["spec"]["containers"][0]["resources"]["requests"] == {"cpu": "8"}
        uid = api.store.get(gang_place("g"))["metadata"]["uid"]
        assert {one["metadata"]["ownerReferences"][0]["uid"] for one in (request, template)} == {uid}
        await until(lambda: message_of(api))
        name = request["metadata"]["name"]
        assert message_of(api) == (
            f"ProvisioningRequest {name} asks for nodes for 4 members; the autoscaler has not provided them yet."
        )


async def test_each_role_is_asked_for():
    roles = (role("head", cpu="1"), role("hand", size=3, most=5, cpu="8"))
    async with asking(gang("g", roles=roles)) as (api, _):
        [request] = await until(lambda: requests(api))

        assert [one["count"] for one in request["spec"]["podSets"]] == [1, 3]
        names = [one["podTemplateRef"]["name"] for one in request["spec"]["podSets"]]
        assert names == [one["metadata"]["name"] for one in templates(api)]


async def test_what_admission_makes_of_members_is_asked_for():
    async with operator_over() as (api, parts), asks(parts):
        toleration = {"key": "gpu", "operator": "Exists"}
        api.admit = lambda pod: {**pod, "spec": {**pod["spec"], "tolerations": [toleration]}}
        api.store.add("gangjobs", gang("g", **BIG))

        [template] = await until(lambda: templates(api))

        assert template["template"]["spec"]["tolerations"] == [toleration]


async def test_no_nodes_are_asked_for_a_gang_that_has_room():
    async with asking(gang("g"), gang("next", cpu="6")) as (api, _):
        await until(lambda: is_placed(api))
        await a_minute()

        assert not requests(api)


async def test_request_goes_when_the_gang_is_placed():
    async with asking(gang("g", **BIG)) as (api, _):
        [request] = await until(lambda: requests(api))
        api.store.add("nodes", node("n3"), node("n4"))
        answer(api, request, ("Provisioned", "Provisioning Request was successfully provisioned."))

        await until(lambda: is_placed(api))
        await until(lambda: not requests(api) and not templates(api))
        assert not message_of(api)
        assert len(pods_of(api, "g")) == 4


@pytest.mark.parametrize(
    ("said", "want"),
    [
        ((("Accepted", "taken"),), ("True", "RequestAccepted")),
        ((("Accepted", "taken"), ("Provisioned", "there")), ("True", "NodesProvisioned")),
        ((("Accepted", "taken"), ("Failed", "no quota")), ("False", "ProvisioningFailed")),
    ],
)
async def test_condition_says_what_the_autoscaler_says(said, want):
    async with asking(gang("g", **BIG)) as (api, _):
        [request] = await until(lambda: requests(api))
        answer(api, request, *said)

        await until(lambda: condition(api, "g", "NodesRequested") == want)
        assert message_of(api).endswith(f'. The autoscaler says "{said[-1][1]}".')


async def test_other_words_for_the_same_are_reported_once_a_minute_at_most():
    async with asking(gang("g", **BIG)) as (api, _):
        [request] = await until(lambda: requests(api))
        before = len(written(api, "gangjobs/status"))
        for number in range(60):
            answer(api, request, ("Accepted", f"number {number}"))
            await asyncio.sleep(5)

        assert 2 <= len(written(api, "gangjobs/status")) - before <= 7


async def test_request_that_failed_is_repeated_after_ten_minutes():
    async with asking(gang("g", **BIG)) as (api, _):
        [request] = await until(lambda: requests(api))
        began = now()
        answer(api, request, ("Failed", "no nodes of that kind"))

        uid = request["metadata"]["uid"]
        await until(lambda: requests(api) and requests(api)[0]["metadata"]["uid"] != uid, seconds=900)
        assert 590 <= now() - began <= 620


async def test_other_size_is_another_request():
    async with asking(gang("g", **BIG)) as (api, _):
        [first] = await until(lambda: requests(api))
        uid = first["metadata"]["uid"]
        api.store.change(gang_place("g"), spec={"size": {"min": 3, "max": 3}}, metadata={"generation": 2})

        await until(lambda: [one["spec"]["podSets"][0]["count"] for one in requests(api)] == [3])
        assert uid not in [one["metadata"]["uid"] for one in requests(api)]
        assert len(templates(api)) == 1


@pytest.mark.parametrize("change", [{"suspend": True}, {"size": {"min": 2, "max": 2}}], ids=["suspended", "smaller"])
async def test_request_goes_when_the_gang_needs_no_more_nodes(change):
    async with asking(gang("g", **BIG)) as (api, _):
        await until(lambda: message_of(api))
        api.store.change(gang_place("g"), spec=change, metadata={"generation": 2})

        await until(lambda: not requests(api) and not templates(api) and not message_of(api))


async def test_request_goes_with_its_gang():
    async with asking(gang("g", **BIG)) as (api, _):
        await until(lambda: message_of(api))
        api.store.remove(gang_place("g"))

        await until(lambda: not requests(api) and not templates(api))


async def test_gang_of_the_same_name_has_a_request_of_its_own():
    async with asking(gang("g", **BIG)) as (api, _):
        [first] = await until(lambda: requests(api))
        api.store.remove(gang_place("g"))
        api.store.add("gangjobs", gang("g", **BIG, uid="another"))

        await until(lambda: [one["metadata"]["ownerReferences"][0]["uid"] for one in requests(api)] == ["another"])
        assert requests(api)[0]["metadata"]["name"] != first["metadata"]["name"]


async def test_next_process_goes_on_with_what_it_finds():
    async with operator_over(gangs=[gang("g", **BIG)]) as (api, parts):
        async with asks(parts):
            await until(lambda: message_of(api))
        before = len(api.writes)
        async with asks(parts):
            await a_minute()

            assert len(api.writes) == before
            api.store.add("nodes", node("n3"), node("n4"))
            await until(lambda: is_placed(api) and not requests(api))


async def test_leftovers_of_an_earlier_process_go():
    async with operator_over(gangs=[gang("g", **BIG)]) as (api, parts):
        async with asks(parts):
            await until(lambda: message_of(api))
        api.store.add("nodes", node("n3"), node("n4"))
        await until(lambda: is_placed(api))

        async with asks(parts):
            await until(lambda: not requests(api) and not templates(api))


async def test_request_without_its_label_is_taken_for_what_it_is():
    async with asking(gang("g", **BIG)) as (api, _):
        [request] = await until(lambda: requests(api))
        api.store.change(place_of(request), metadata={"labels": {}})
        await a_minute()
        await a_minute()

        assert len(requests(api)) == 1
        assert condition(api, "g", "NodesRequested") == ("True", "NodesRequested")


async def test_foreign_objects_are_left_alone():
    async with operator_over(gangs=[gang("g", **BIG)]) as (api, parts):
        async with asks(parts):
            [request] = await until(lambda: requests(api))
        api.store.remove(place_of(request))
        mine = {"name": request["metadata"]["name"], "namespace": DEFAULT, "labels": {"lockstep.dev/gang": "g"}}
        api.store.add("provisioningrequests", {"metadata": mine, "spec": {}})

        async with asks(parts):
            await until(lambda: condition(api, "g", "NodesRequested") == ("False", "RequestRefused"))
            assert "exists already, and does not belong to this gang" in message_of(api)
            assert [one["spec"] for one in api.store.objects("provisioningrequests")] == [{}]


@pytest.mark.parametrize(
    ("verb", "refusal", "want"),
    [
        pytest.param(GET, ABSENT, "this cluster has no ProvisioningRequests", id="no such API"),
        pytest.param(GET, FORBIDDEN, "cannot", id="no right to look"),
        pytest.param(POST, FORBIDDEN, "cannot create resource", id="no right to ask"),
    ],
)
async def test_trouble_is_said_once_and_mended_by_itself(verb, refusal, want, caplog):
    caplog.set_level(logging.WARNING)
    async with operator_over(gangs=[gang("g", **BIG), gang("fits")]) as (api, parts):
        api.fault = lambda request: refusal if request[:2] == (verb, "provisioningrequests") else None
        async with asks(parts):
            await until(lambda: condition(api, "g", "NodesRequested") == ("False", "RequestRefused"))
            assert want in message_of(api)
            assert is_placed(api, "fits")
            before = len(api.requests)
            for _ in range(10):
                await a_minute()
            # A look every five seconds, and each minute another try, which the client makes several of.
            assert len(api.requests) - before <= 10 * (12 + 12)
            assert len([one for one in caplog.messages if "ProvisioningRequests can't be created" in one]) == 1

            api.fault = lambda _: None
            await until(lambda: condition(api, "g", "NodesRequested") == ("True", "NodesRequested"))


async def test_gang_whose_members_are_refused_is_not_asked_for():
    async with operator_over() as (api, parts), asks(parts):
        api.admit = lambda _: Refusal(code=403, message="exceeded quota: hidden")
        api.store.add("gangjobs", gang("g", **BIG))
        await until(lambda: condition(api, "g", "NodesRequested") == ("False", "RequestRefused"))

        assert not requests(api)
        assert "exceeded quota: hidden" in message_of(api)


async def test_gangs_of_a_namespace_ask_for_so_many_at_once():
    gangs = [gang(f"g{number:02}", **BIG) for number in range(30)]
    async with asking(*gangs) as (api, _):
        await until(lambda: len(requests(api)) == 20)
        await a_minute()
        assert len(requests(api)) == 20

        api.store.remove(gang_place("g00"))
        await until(lambda: requests(api, "g20"))
        assert len(requests(api)) == 20


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        pytest.param(BROKEN, "the ProvisioningRequest could not be deleted: DELETE", id="no answer"),
        pytest.param(KEPT, "can't be deleted", id="refused"),
    ],
)
async def test_request_that_cannot_be_deleted_costs_no_other_gang_anything(fault, says, caplog):
    async with asking(gang("g", **BIG)) as (api, _):
        [request] = await until(lambda: requests(api))
        api.fault = lambda asked: fault if asked[:2] == (DELETE, "provisioningrequests") else None
        api.store.remove(gang_place("g"))
        api.store.add("gangjobs", gang("next", **BIG))

        await until(lambda: message_of(api, "next"))
        assert (requests(api, "g"), len(templates(api))) == ([request], 2)
        assert any(says in one for one in caplog.messages)
        api.fault = lambda _: None
        await until(lambda: not requests(api, "g") and len(templates(api)) == 1)


async def test_requests_that_fail_again_and_again_leave_a_turn_to_the_other_gangs_of_the_namespace():
    gangs = [gang(f"g{number:02}", **BIG) for number in range(21)]
    async with asking(*gangs) as (api, _):
        await until(lambda: len(requests(api)) == 20)
        for one in requests(api):
            answer(api, one, ("Failed", "no nodes of that kind"))

        await until(lambda: requests(api, "g20"), seconds=900)


async def test_requests_that_the_autoscaler_never_answers_leave_a_turn_to_the_other_gangs_of_the_namespace():
    gangs = [gang(f"g{number:02}", **BIG) for number in range(21)]
    async with asking(*gangs) as (api, _):
        await until(lambda: len(requests(api)) == 20)

        await until(lambda: requests(api, "g20"), seconds=2 * 3600)
        await until(lambda: len(requests(api)) == 20)


async def test_request_without_an_answer_stays_where_no_other_gang_needs_its_place():
    async with asking(gang("g", **BIG)) as (api, _):
        [request] = await until(lambda: requests(api))
        await asyncio.sleep(2 * 3600)

        assert requests(api)[0]["metadata"]["uid"] == request["metadata"]["uid"]


async def test_gangs_that_admission_refuses_slowly_leave_a_turn_to_the_other_gangs_of_the_namespace(monkeypatch):
    slow = [in_namespace("slow", gang(f"slow-{number}", **BIG)) for number in range(9)]
    async with operator_over(gangs=slow) as (api, parts):
        takes_long(monkeypatch, parts.client, "/namespaces/slow/")
        full = Refusal(code=403, message="exceeded quota: hidden")
        api.admit = lambda pod: pod if "slow-8" in pod["metadata"]["name"] else full
        async with asks(parts):
            await until(lambda: requests(api, "slow-8"), seconds=1000)


async def test_slow_webhook_of_one_namespace_keeps_no_other_waiting(monkeypatch):
    slow = [in_namespace("slow", gang(f"slow-{number}", **BIG)) for number in range(9)]
    async with operator_over(gangs=slow) as (api, parts):
        takes_long(monkeypatch, parts.client, "/namespaces/slow/")
        async with asks(parts):
            began = now()
            await until(lambda: requests(api))
            api.store.add("gangjobs", gang("good", **BIG))

            await until(lambda: requests(api, "good"))
            assert now() - began < 60
            await until(lambda: len(requests(api)) == 10, seconds=1000)


def in_namespace(namespace, manifest):
    return {**manifest, "metadata": {**manifest["metadata"], "namespace": namespace}}


def takes_long(monkeypatch, client, folder):
    """Have admission in that folder take 20 s for each pod that is only tried."""
    dry_run = client.dry_run

    async def slowed(target, *rest, **more):
        if folder in target.path:
            await asyncio.sleep(20)
        return await dry_run(target, *rest, **more)

    monkeypatch.setattr(client, "dry_run", slowed)


@pytest.mark.parametrize(("step", "says"), [("name_for", "deleted"), ("parse_node_request", "read")])
async def test_what_goes_wrong_with_one_gang_costs_no_other_its_request(monkeypatch, step, says, caplog):
    async with asking(gang("odd", **BIG)) as (api, _):
        await until(lambda: requests(api, "odd"))
        spoil(monkeypatch, step)
        api.store.add("gangjobs", gang("good", **BIG))

        await until(lambda: requests(api, "good"))
        await until(lambda: message_of(api, "good"))
        api.store.remove(gang_place("good"))
        await until(lambda: not requests(api, "good"))
        assert f"the ProvisioningRequest could not be {says}" in caplog.messages


def spoil(monkeypatch, step):
    """Have a step raise for the gang of that name."""
    where = NodeAsker if step == "name_for" else node_requests
    as_it_was = getattr(where, step)

    def spoiled(*given):
        if any(getattr(getattr(one, "key", getattr(one, "gang", None)), "name", "") == "odd" for one in given):
            raise RuntimeError(step)
        return as_it_was(*given)

    monkeypatch.setattr(where, step, spoiled)
