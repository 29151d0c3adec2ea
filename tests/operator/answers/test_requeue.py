"""A gang is put back into the queue, wherever it stands; the rest of the operator is played by the test."""

import asyncio
from contextlib import asynccontextmanager, contextmanager

import pytest

from builders.served import gang, owned_by, pod
from coschedule import GangKey
from fake_cluster.api import ANSWER_LOST, FakeApi, Refusal
from fake_cluster.jumping import now
from fake_cluster.pages import PAGES
from fake_cluster.store import Place
from lockstep.answers.reading.cluster import one_client
from lockstep.answers.reading.errors import AnswerError
from lockstep.answers.requeue import NotMadeAnewError, requeue_gang
from lockstep.api.kueue.gang_workload import workload_name
from lockstep.api.names import API_VERSION, RUN_ANNOTATION

pytestmark = pytest.mark.asyncio

KEY = GangKey("default", "g")
PLACE = Place("gangjobs", "default", "g")
POD = Place("pods", "default", "g-1-0")
TIME = "2027-01-15T07:00:00Z"
CLAIM = {
    "metadata": {"name": "data"},
    "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
}
KEPT = {"volumeClaimTemplates": [CLAIM]}


def condition(kind, status="True", message=""):
    return {"type": kind, "status": status, "reason": "Because", "message": message, "lastTransitionTime": TIME}


FAILED = {
    "conditions": [condition("Complete", "False", "Member 0 failed."), condition("Failed", message="Member 0 failed.")],
    "finishedAt": TIME,
}


@asynccontextmanager
async def submitted(status=None, **more):
    async with FakeApi(now) as api, one_client(api.configuration) as client:
        api.store.create("gangjobs", {**gang("g", **more), "status": status or {}})
        yield api, client


async def put_back(client, seconds=60, **more):
    return await requeue_gang(client, KEY, within_seconds=seconds, **more)


class Seen:
    """What a user sees while it waits."""

    def __init__(self):
        self.checks, self.ended = [], 0

    @contextmanager
    def waiting(self):
        try:
            yield lambda: self.checks.append(now())
        finally:
            self.ended += 1


def writes(api):
    return [(request.verb, request.resource) for request in api.writes]


async def test_gang_that_holds_nodes_is_suspended_and_then_resumed():
    async with submitted({"reservedAt": TIME, "attempt": 1, "size": 2}) as (api, client):
        done = asyncio.create_task(put_back(client))
        await asyncio.sleep(5)
        assert api.store.get(PLACE)["spec"]["suspend"] is True
        api.store.change(PLACE, status={"conditions": [condition("Suspended")], "reservedAt": None})
        sentence = await done

        assert sentence == "default/g was taken off its nodes, and is planned again."
        assert api.store.get(PLACE)["spec"]["suspend"] is False


async def test_gang_that_rests_after_a_failure_rests_no_longer():
    async with submitted({"restartAt": TIME}) as (api, client):
        done = asyncio.create_task(put_back(client))
        await asyncio.sleep(5)
        api.store.change(PLACE, status={"conditions": [condition("Suspended")], "restartAt": None})

        assert await done == "default/g had paused after a failure, and is planned again."


async def test_gang_whose_end_takes_too_long_stays_suspended_and_that_is_said():
    async with submitted({"reservedAt": TIME}) as (api, client):
        with pytest.raises(
            AnswerError, match=r"is suspended, and still holds nodes after 1 min: run the command again"
        ):
            await put_back(client)

        assert api.store.get(PLACE)["spec"]["suspend"] is True


@pytest.mark.parametrize("status", [{"reservedAt": TIME}, FAILED], ids=["it runs", "it is over"])
async def test_each_check_while_it_waits_is_reported_and_that_it_is_over(status):
    async with submitted(status) as (api, client):
        api.store.remove = lambda _: None
        seen = Seen()
        with pytest.raises(AnswerError):
            await put_back(client, waiting=seen.waiting)

        assert 100 < len(seen.checks) <= 120, "twice a second for a minute"
        assert seen.ended == 1


async def test_it_shows_no_wait_where_there_is_nothing_to_wait_for():
    async with submitted(spec={"suspend": True}) as (_, client):
        seen = Seen()
        await put_back(client, waiting=seen.waiting)

        assert (seen.checks, seen.ended) == ([], 0)


async def test_gang_that_is_suspended_is_resumed():
    async with submitted(spec={"suspend": True}) as (api, client):
        assert await put_back(client) == "default/g was suspended, and is planned again."
        assert api.store.get(PLACE)["spec"]["suspend"] is False


async def test_gang_in_a_queue_of_kueue_is_left_to_kueue():
    labels = {"kueue.x-k8s.io/queue-name": "team"}
    async with submitted({"reservedAt": TIME}, labels=labels) as (api, client):
        name = workload_name("g", api.store.get(PLACE)["metadata"]["uid"])
        api.store.create("workloads", {"metadata": {"name": name, "namespace": "default"}, "spec": {}})
        with pytest.raises(AnswerError, match=f"spec.active of Workload {name} to false"):
            await put_back(client)
        assert writes(api) == []


async def test_gang_that_waits_already_is_left_alone():
    async with submitted() as (api, client):
        assert await put_back(client) == "default/g waits in the queue already."
        assert writes(api) == []


async def test_gang_that_is_over_is_made_anew_when_its_pods_are_gone():
    async with submitted(FAILED) as (api, client):
        api.store.change(PLACE, metadata={"labels": {"team": "a"}})
        uid = api.store.get(PLACE)["metadata"]["uid"]
        left = owned_by("g")
        left["ownerReferences"][0]["uid"] = uid
        api.store.add("pods", pod("g-1-0", **left))
        done = asyncio.create_task(put_back(client))
        await asyncio.sleep(5)
        assert writes(api) == [("DELETE", "gangjobs")]
        api.store.remove(POD)

        assert await done == "default/g had ended, and is created again."
        made = api.store.get(PLACE)
        assert made["metadata"]["uid"] != uid
        assert made["metadata"]["labels"] == {"team": "a"}
        assert "status" not in made
        assert made["spec"] == {**gang("g")["spec"], "suspend": False}


async def test_gang_that_can_not_be_created_again_is_not_lost():
    async with submitted(FAILED) as (api, client):
        api.fault = lambda request: Refusal(code=403, message="quota is full") if request.verb == "POST" else None
        with pytest.raises(NotMadeAnewError, match=r"can't be created again: quota is full\.") as raised:
            await put_back(client)

        assert raised.value.manifest["spec"]["template"] == gang("g")["spec"]["template"]
        assert raised.value.manifest["metadata"] == {"namespace": "default", "name": "g"}


async def test_gang_whose_creation_is_not_answered_is_made_anew():
    async with submitted(FAILED) as (api, client):
        faults = iter([ANSWER_LOST])
        api.fault = lambda request: next(faults, None) if request.verb == "POST" else None

        assert await put_back(client) == "default/g had ended, and is created again."


async def test_gang_that_stays_after_its_deletion_is_not_lost_either():
    async with submitted(FAILED) as (api, client):
        api.store.remove = lambda _: None
        with pytest.raises(NotMadeAnewError, match="parts of it still exist after 1 min"):
            await put_back(client)


async def cut_off(client):
    """The user gives up waiting, as by Ctrl-C."""
    done = asyncio.create_task(put_back(client))
    await asyncio.sleep(5)
    done.cancel()
    await done


async def test_gang_without_a_waiting_user_is_not_lost_either():
    async with submitted(FAILED) as (api, client):
        api.store.remove = lambda _: None
        with pytest.raises(
            NotMadeAnewError, match=r"is deleted, and this command did not wait .* the output\."
        ) as raised:
            await cut_off(client)

        assert raised.value.manifest["spec"]["template"] == gang("g")["spec"]["template"]


async def test_gang_whose_deletion_is_not_answered_is_made_anew():
    async with submitted(FAILED) as (api, client):
        faults = iter([ANSWER_LOST])
        api.fault = lambda request: next(faults, None) if request.verb == "DELETE" else None

        assert await put_back(client) == "default/g had ended, and is created again."
        assert "status" not in api.store.get(PLACE)


async def test_gang_that_is_still_being_deleted_when_the_deletion_is_repeated_is_made_anew():
    """A finalizer keeps it for a while."""
    async with submitted(FAILED) as (api, client):
        remove, faults = api.store.remove, iter([ANSWER_LOST])
        api.store.remove = lambda place: api.store.change(place, metadata={"deletionTimestamp": TIME})
        api.fault = lambda request: next(faults, None) if request.verb == "DELETE" else None
        done = asyncio.create_task(put_back(client))
        await asyncio.sleep(5)
        remove(PLACE)

        assert await done == "default/g had ended, and is created again."


async def test_gang_that_has_changed_since_it_was_read_is_not_deleted():
    async with submitted(FAILED) as (api, client):
        api.fault = lambda request: Refusal(code=409, message="it was changed") if request.verb == "DELETE" else None
        with pytest.raises(AnswerError, match=r"can't be deleted for a new run: it was changed\.") as raised:
            await put_back(client)

        assert not isinstance(raised.value, NotMadeAnewError)
        assert api.store.get(PLACE)


@pytest.mark.parametrize("fault", [ANSWER_LOST, PAGES["page in HTML"]], ids=["no answer", "a page of a proxy"])
async def test_gang_that_may_be_deleted_is_not_lost(fault):
    async with submitted(FAILED) as (api, client):
        api.store.remove = lambda _: None
        api.fault = lambda request: fault if request.verb == "DELETE" else None
        with pytest.raises(NotMadeAnewError, match=r"may be deleted, .* the output\.") as raised:
            await put_back(client)

        assert raised.value.manifest["spec"]["template"] == gang("g")["spec"]["template"]


async def test_gang_is_not_lost_if_its_user_gives_up_before_the_deletion_is_answered():
    async with submitted(FAILED) as (api, client):
        api.store.remove = lambda _: None
        api.fault = lambda request: ANSWER_LOST if request.verb == "DELETE" else None
        done = asyncio.create_task(put_back(client))
        await asyncio.sleep(1)
        done.cancel()
        with pytest.raises(NotMadeAnewError, match=r"may be deleted, .* the output\."):
            await done


async def test_gang_without_a_waiting_user_stays_suspended_and_that_is_said():
    async with submitted({"reservedAt": TIME}) as (api, client):
        with pytest.raises(
            AnswerError,
            match=r"is suspended, and this command did not wait until it held no nodes: run the command again",
        ):
            await cut_off(client)

        assert api.store.get(PLACE)["spec"]["suspend"] is True


@pytest.mark.parametrize(
    "gang_with_claims",
    [
        pytest.param({"spec": KEPT}, id="accepted"),
        pytest.param({"spec": {**KEPT, "deadline": "never"}}, id="refused by this version"),
        pytest.param({"roles": [{**gang("g")["spec"], "name": "a", **KEPT}]}, id="in a role"),
    ],
)
async def test_gang_whose_volumes_would_go_with_it_is_not_deleted(gang_with_claims):
    async with submitted(FAILED, **gang_with_claims) as (api, client):
        with pytest.raises(AnswerError, match="the volumes of its volumeClaimTemplates: create another GangJob"):
            await put_back(client)

        assert writes(api) == []


async def test_run_of_a_sweep_that_has_ended_is_left_to_its_sweep():
    """The sweep has counted its end, and would count no other end of the run."""
    sweep = {"apiVersion": API_VERSION, "kind": "GangSweep", "name": "s", "uid": "uid-of-s", "controller": True}
    marks = {"ownerReferences": [sweep], "annotations": {RUN_ANNOTATION: "17"}}
    async with FakeApi(now) as api, one_client(api.configuration) as client:
        api.store.create("gangjobs", {**gang("s-17", **marks), "status": FAILED})
        with pytest.raises(AnswerError, match=r"repeat it with lockstep requeue sweep/s --run 17\."):
            await requeue_gang(client, GangKey("default", "s-17"), within_seconds=60)

        assert writes(api) == []


async def test_gang_whose_volumes_outlive_it_is_made_anew():
    """A claim that the template names is not deleted with the gang."""
    manifest = gang("g")
    manifest["spec"]["template"]["spec"]["volumes"] = [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]
    async with submitted(FAILED, spec=manifest["spec"]) as (api, client):
        assert await put_back(client) == "default/g had ended, and is created again."
        assert api.store.get(PLACE)["spec"] == {**manifest["spec"], "suspend": False}


@pytest.mark.parametrize(
    ("status", "want"),
    [
        ({"conditions": [condition("Accepted", "False", "size: too large.")]}, "is refused, .*: size: too large."),
    ],
    ids=["refused"],
)
async def test_gang_that_can_not_be_planned_says_why(status, want):
    async with submitted(status) as (api, client):
        with pytest.raises(AnswerError, match=want):
            await put_back(client)
        assert writes(api) == []


async def test_gang_that_is_being_deleted_or_not_there_is_said():
    async with submitted() as (api, client):
        api.store.change(PLACE, metadata={"deletionTimestamp": TIME})
        with pytest.raises(AnswerError, match=r"GangJob default/g is being deleted\."):
            await put_back(client)
        api.store.remove(PLACE)
        with pytest.raises(AnswerError, match=r"There is no GangJob default/g\."):
            await put_back(client)


@pytest.mark.parametrize(
    ("status", "verb"), [({"reservedAt": TIME}, "PATCH"), (FAILED, "DELETE")], ids=["change", "delete"]
)
async def test_right_that_is_missing_is_said_in_the_words_of_the_api_server(status, verb):
    async with submitted(status) as (api, client):
        forbidden = Refusal(code=403, message="you shall not")
        api.fault = lambda request: forbidden if request.verb == verb else None
        with pytest.raises(AnswerError, match=r"you shall not\."):
            await put_back(client)
        assert api.store.get(PLACE)["spec"].get("suspend") is None
