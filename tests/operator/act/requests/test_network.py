"""By what members find each other: made once, written anew for each attempt, and nothing of anybody else's touched."""

from contextlib import asynccontextmanager

import pytest

from builders.served import gang
from fake_cluster.api import ANSWER_LOST, NEVER_ARRIVED, Refusal
from fake_cluster.jumping import until
from fake_cluster.rig import (
    DEFAULT,
    api_with,
    common_of,
    condition,
    event_reasons,
    is_placed,
    leave_before,
    operator_over,
    pod_place,
    pods_of,
    running_operator,
    status_of,
)
from fake_cluster.store import Place

pytestmark = pytest.mark.asyncio

MPI = {"network": {"rendezvous": "MPI"}}
EMPTY = {"network": {}}
SERVICE = Place("services", DEFAULT, "g")
FILES = Place("configmaps", DEFAULT, "g-hosts")
QUOTA = Refusal(code=403, message='services "g" is forbidden: exceeded quota: small')


def owner(uid, name="g"):
    return {"apiVersion": "lockstep.dev/v1alpha1", "kind": "GangJob", "name": name, "uid": uid, "controller": True}


def somebody_s(name, *owners, **more):
    return {"metadata": {"name": name, "namespace": DEFAULT, "ownerReferences": list(owners)}, **more}


def message(api, kind="Placed"):
    return next(it["message"] for it in status_of(api)["conditions"] if it["type"] == kind)


def asked(api, resource):
    return [request.verb for request in api.requests if request.resource == resource]


def at(resource, fault, *, verb="POST", times=1):
    left = [fault] * times

    def decide(request):
        return left.pop() if left and (request.verb, request.resource) == (verb, resource) else None

    return decide


@asynccontextmanager
async def placed(spec=None, *, fault=lambda _: None, **parts):
    """A gang g of two that is placed, with an operator that runs."""
    async with api_with(gangs=[gang("g", spec=spec, **parts)]) as api:
        api.fault = fault
        async with running_operator(api):
            await until(lambda: is_placed(api))
            yield api


async def test_every_gang_has_a_service_of_its_own():
    async with placed() as api:
        service, files = common_of(api, "g")

    assert service["spec"] == {
        "clusterIP": "None",
        "publishNotReadyAddresses": True,
        "selector": {"lockstep.dev/gang": "g"},
    }
    assert [one["uid"] for one in service["metadata"]["ownerReferences"]] == ["uid-of-g"]
    assert files is None


async def test_it_costs_one_request():
    async with placed() as api:
        assert (asked(api, "services"), asked(api, "configmaps")) == (["POST"], [])


async def test_host_file_is_there_before_a_member_is_bound():
    async with placed(MPI) as api:
        _, files = common_of(api, "g")
        kinds = [request.resource for request in api.writes]

    assert files["data"] == {"hostfile": "g-1-0.g slots=1\ng-1-1.g slots=1\n"}
    assert [one["uid"] for one in files["metadata"]["ownerReferences"]] == ["uid-of-g"]
    assert kinds.index("configmaps") < kinds.index("pods/binding")


async def lose_a_member(api, attempt):
    api.store.remove(pod_place(f"g-{attempt}-0"))
    await until(lambda: status_of(api)["attempt"] == attempt + 1 and is_placed(api))


async def test_next_attempt_writes_the_host_file_anew_and_no_service():
    async with placed(MPI) as api:
        api.requests.clear()
        await lose_a_member(api, 1)
        _, files = common_of(api, "g")

    assert files["data"] == {"hostfile": "g-2-0.g slots=1\ng-2-1.g slots=1\n"}
    assert (asked(api, "services"), asked(api, "configmaps")) == (["GET"], ["GET", "PUT"])


async def test_service_that_was_deleted_is_there_again_with_the_next_attempt():
    async with placed(MPI) as api:
        api.store.remove(SERVICE)
        api.store.remove(FILES)
        await lose_a_member(api, 1)

        assert None not in common_of(api, "g")


@pytest.mark.parametrize("resource", ["services", "configmaps"])
@pytest.mark.parametrize("verb", ["POST", "GET", "PUT"])
@pytest.mark.parametrize("fault", [NEVER_ARRIVED, ANSWER_LOST, Refusal(code=500)], ids=["lost", "unheard", "500"])
async def test_passing_trouble_does_no_harm(resource, verb, fault):
    async with placed(MPI, fault=at(resource, fault, verb=verb)) as api:
        await lose_a_member(api, 1)
        _, files = common_of(api, "g")

    assert files["data"]["hostfile"].startswith("g-2-0.g ")
    assert "NamesDoNotResolve" not in event_reasons(api)


async def test_outage_undoes_the_attempt_and_the_next_one_makes_the_service():
    """Whether the gang counts on it or not: nothing else would make it."""
    async with placed(fault=at("services", NEVER_ARRIVED, times=6)) as api:
        assert common_of(api, "g")[0] is not None
        assert status_of(api)["attempt"] == 2


@pytest.mark.parametrize(
    ("there", "want"),
    [
        pytest.param(
            (SERVICE, somebody_s("g")), "Service g exists already, and does not belong to this gang", id="service"
        ),
        pytest.param(
            (SERVICE, somebody_s("g", owner("x", name="other"))),
            "Service g exists already, and does not belong to this gang",
            id="service of another gang",
        ),
        pytest.param(
            (FILES, somebody_s("g-hosts", data={"hostfile": "theirs"})),
            "ConfigMap g-hosts exists already, and does not belong to this gang",
            id="config map",
        ),
        pytest.param(
            (SERVICE, somebody_s("g", owner("of-an-earlier-one"))),
            "Service g of an earlier gang of this name is still there",
            id="service of an earlier gang that is not collected",
        ),
    ],
)
async def test_foreign_object_stays_and_the_attempt_fails(there, want):
    place, manifest = there
    async with api_with() as api:
        before = api.store.create(place.resource, manifest)
        api.store.create("gangjobs", gang("g", spec=MPI))
        async with running_operator(api):
            await until(lambda: condition(api, "g", "Placed") == ("False", "NetworkRefused"))

            assert message(api) == f"Attempt 1 was torn down: the members can't find each other: {want}."
            assert (pods_of(api, "g"), api.store.get(place)) == ([], before)
            api.store.remove(place)
            await until(lambda: is_placed(api))


async def test_without_network_members_run_and_an_event_says_once_that_names_do_not_resolve():
    async with api_with() as api:
        before = api.store.create("services", somebody_s("g"))
        api.store.create("gangjobs", gang("g"))
        async with running_operator(api):
            await until(lambda: is_placed(api))
            await lose_a_member(api, 1)

            assert event_reasons(api).count("NamesDoNotResolve") == 1
            [event] = [it for it in api.store.objects("events") if it["reason"] == "NamesDoNotResolve"]
            assert api.store.get(SERVICE) == before

    assert event["note"] == (
        "NetworkRefused: the members can't find each other: Service g exists already, and does not belong to this "
        "gang. "
        "The members run without a Service."
    )


async def test_refused_service_is_reported_in_the_api_server_s_words():
    async with operator_over(gangs=[gang("g", spec=EMPTY)]) as (api, _):
        api.fault = at("services", QUOTA, times=99)
        await until(lambda: condition(api, "g", "Placed") == ("False", "NetworkRefused"))

        assert message(api).endswith('Service g can\'t be created: services "g" is forbidden: exceeded quota: small.')
        api.fault = lambda _: None
        await until(lambda: is_placed(api))


@pytest.mark.parametrize("spec", [None, EMPTY], ids=["without network", "with network"])
async def test_what_an_earlier_gang_of_the_name_has_left_is_waited_for(spec):
    """A user who deletes a gang and submits it again is sooner than the garbage collector."""
    async with api_with() as api:
        api.store.create("services", somebody_s("g", owner("of-an-earlier-one")))
        api.store.create("gangjobs", gang("g", spec=spec))
        async with running_operator(api):
            await until(lambda: "GET" in asked(api, "services"))
            api.store.remove(SERVICE)
            await until(lambda: is_placed(api))

        assert status_of(api)["attempt"] == 1
        assert common_of(api, "g")[0]["metadata"]["ownerReferences"][0]["uid"] == "uid-of-g"
        assert "NamesDoNotResolve" not in event_reasons(api)


@pytest.mark.parametrize("spec", [None, MPI], ids=["without network", "with network"])
@pytest.mark.parametrize("resource", ["services", "configmaps"])
async def test_conflict_over_a_quota_is_no_refusal(resource, spec):
    """Many simultaneous creations conflict over a quota, and the answer is that of a name that is taken."""
    conflict = Refusal(code=409, message='Operation cannot be fulfilled on resourcequotas "small"')
    async with placed(spec, fault=at(resource, conflict, times=2)) as api:
        assert status_of(api)["attempt"] == 1
        assert common_of(api, "g")[0] is not None
        assert "NamesDoNotResolve" not in event_reasons(api)


@pytest.mark.parametrize("spec", [None, EMPTY], ids=["without network", "with network"])
async def test_service_of_an_earlier_gang_that_goes_between_two_requests_is_made_anew(spec):
    async with api_with() as api:
        api.store.create("services", somebody_s("g", owner("of-an-earlier-one")))
        api.store.create("gangjobs", gang("g", spec=spec))

        def collect(request):
            if request[:2] == ("GET", "services"):
                api.store.remove(SERVICE)
                api.fault = lambda _: None

        api.fault = collect
        async with running_operator(api):
            await until(lambda: is_placed(api))

        assert status_of(api)["attempt"] == 1
        assert common_of(api, "g")[0]["metadata"]["ownerReferences"][0]["uid"] == "uid-of-g"
        assert "NamesDoNotResolve" not in event_reasons(api)


async def test_host_file_that_another_writer_changes_at_the_same_time_is_ours_in_the_end():
    async with placed(MPI) as api:

        def meddle(request):
            if (request.verb, request.resource) == ("PUT", "configmaps") and not meddled:
                meddled.append(api.store.change(FILES, data={"hostfile": "theirs"}))

        meddled = []
        api.fault = meddle
        await lose_a_member(api, 1)

        assert meddled
        assert common_of(api, "g")[1]["data"] == {"hostfile": "g-2-0.g slots=1\ng-2-1.g slots=1\n"}


@pytest.mark.parametrize("kind", [("POST", "services"), ("POST", "configmaps"), ("POST", "pods/binding")])
async def test_next_process_makes_what_is_missing(kind):
    async with api_with(gangs=[gang("g", spec=MPI)]) as api:
        await leave_before(api, kind)
        async with running_operator(api):
            await until(lambda: is_placed(api))

        assert None not in common_of(api, "g")
        assert status_of(api)["attempt"] == 1
