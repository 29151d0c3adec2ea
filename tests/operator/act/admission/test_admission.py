"""What admission makes of members counts: seen in answers to creates and to dry runs."""

import asyncio
import copy
import itertools

import pytest

from builders.served import gang, node, pod
from fake_cluster.api import DRY_RUN, POST, FakeApi, Refusal
from fake_cluster.jumping import now, until
from fake_cluster.rig import (
    condition,
    event_reasons,
    is_placed,
    operator_over,
    pod_place,
    pods_of,
    running_operator,
    status_of,
)

pytestmark = pytest.mark.asyncio

INVALID = Refusal(code=422, message='Pod "x" is invalid: no')
USED_UP = Refusal(code=403, message="exceeded quota: q")
DENIED = Refusal(code=403, message="denied by a policy")
WORK = {"work": {"serialTime": "10m"}}


def asking(cpu):
    """Admission that sets a request; ``cpu`` is a quantity, or makes one of a pod's rank."""

    def admit(created):
        changed = copy.deepcopy(created)
        rank = int(created["metadata"]["labels"]["lockstep.dev/rank"])
        amount = cpu(rank) if callable(cpu) else cpu
        changed["spec"]["containers"][0]["resources"] = {"requests": {"cpu": amount}}
        return changed

    return admit


def estranging(change):
    """Admission that changes a pod's metadata."""

    def admit(created):
        changed = copy.deepcopy(created)
        change(changed["metadata"])
        return changed

    return admit


ESTRANGING = {
    "owner gone": lambda metadata: metadata.pop("ownerReferences"),
    "label of the gang gone": lambda metadata: metadata["labels"].pop("lockstep.dev/gang"),
    "label of the attempt gone": lambda metadata: metadata["labels"].pop("lockstep.dev/attempt"),
    "all labels gone": lambda metadata: metadata.pop("labels"),
    "another rank": lambda metadata: metadata["labels"].update({"lockstep.dev/rank": "7"}),
    "another attempt": lambda metadata: metadata["labels"].update({"lockstep.dev/attempt": "5"}),
    "another name": lambda metadata: metadata.update(name=metadata["name"] + "-x"),
}


def counted(api, verb, resource="pods"):
    return sum((request.verb, request.resource) == (verb, resource) for request in api.requests)


def refuse(what, *verbs):
    return lambda request: what if request.resource == "pods" and request.verb in (verbs or (POST, DRY_RUN)) else None


@pytest.mark.parametrize(("made", "want"), [("4", 4), ("500m", 16)], ids=["more", "less"])
async def test_gang_is_planned_again_at_once_with_what_admission_made(made, want):
    async with operator_over() as (api, parts):
        api.admit = asking(made)
        api.store.create("gangjobs", gang("g", most=16, spec=WORK))
        began = now()
        await until(lambda: is_placed(api))

        assert now() - began < 1
        assert len(pods_of(api, "g")) == want
        assert condition(api, "g", "Accepted") == ("True", "ChangedByAdmission")
        assert status_of(api)["attempt"] == 2
        assert parts.metric("lockstep_attempts_undone_total", reason="ChangedByAdmission") == 1
        await until(lambda: event_reasons(api).count("ChangedByAdmission") == 1)


async def test_second_gang_of_a_template_loses_no_attempt():
    async with operator_over(node("n1"), node("n2")) as (api, _):
        api.admit = asking("2")
        api.store.create("gangjobs", gang("a", size=2))
        await until(lambda: is_placed(api, "a"))
        api.store.create("gangjobs", gang("b", size=2))
        await until(lambda: is_placed(api, "b"))

        assert (status_of(api, "a")["attempt"], status_of(api, "b")["attempt"]) == (2, 1)
        assert event_reasons(api).count("ChangedByAdmission") == 1


async def test_nothing_is_bound_that_was_planned_otherwise():
    async with operator_over(node("n1")) as (api, _):
        api.admit = asking("2")
        api.store.create("gangjobs", gang("g", most=8, spec=WORK))
        await until(lambda: is_placed(api))

        assert counted(api, POST, "pods/binding") == len(pods_of(api, "g")) == 4


async def test_members_that_admission_makes_unlike_are_planned_for_the_largest():
    async with operator_over() as (api, _):
        api.admit = asking(lambda rank: "4" if rank == 1 else "1")
        api.store.create("gangjobs", gang("g", size=4))
        await until(lambda: is_placed(api))

        assert status_of(api)["attempt"] == 2


async def test_admission_that_changes_its_mind_each_time_backs_off():
    numbers = itertools.count(1001)
    async with operator_over(node("n1", cpu="1000")) as (api, _):
        api.admit = asking(lambda _: f"{next(numbers)}m")
        api.store.create("gangjobs", gang("g"))
        await asyncio.sleep(100)

        assert 6 <= status_of(api)["attempt"] <= 12


async def test_gang_that_can_start_costs_no_dry_run():
    async with operator_over(gangs=[gang("g", size=4)]) as (api, _):
        await until(lambda: is_placed(api))
        await asyncio.sleep(60)

        assert counted(api, DRY_RUN) == 0


async def test_gang_that_waits_is_checked_once():
    async with operator_over(gangs=[gang("g", size=90)]) as (api, _):
        await until(lambda: condition(api, "g", "Planned"))
        api.store.create("pods", pod("other", node="n1"))
        await asyncio.sleep(3600)

        assert counted(api, DRY_RUN) == 1


async def test_gang_that_waits_is_planned_with_what_admission_adds():
    async with operator_over(node("n1")) as (api, _):
        api.admit = asking("2")
        api.store.create("pods", pod("owner", node="n1", cpu="8"))
        api.store.create("gangjobs", gang("g", most=8, spec=WORK))
        await until(lambda: condition(api, "g", "Accepted") == ("True", "ChangedByAdmission"))
        api.store.remove(pod_place("owner"))
        await until(lambda: is_placed(api))

        assert (len(pods_of(api, "g")), status_of(api)["attempt"]) == (4, 1)


async def test_admission_that_gives_up_a_demand_lets_a_waiting_gang_go():
    async with operator_over(node("n1")) as (api, _):
        api.admit = asking("9")
        api.store.create("gangjobs", gang("g"))
        await until(lambda: condition(api, "g", "Accepted") == ("True", "ChangedByAdmission"))
        await asyncio.sleep(60)
        api.admit = asking("1")
        await until(lambda: is_placed(api), seconds=700)


@pytest.mark.parametrize("size", [2, 90], ids=["starting", "waiting"])
async def test_gang_that_is_refused_for_good_is_reported_and_not_tried_again(size):
    async with operator_over() as (api, _):
        api.fault = refuse(INVALID)
        api.store.create("gangjobs", gang("g", size=size))
        await until(lambda: condition(api, "g", "Accepted") == ("False", "TemplateRefused"))
        await until(lambda: "InvalidSpec" in event_reasons(api))
        tried = counted(api, POST)
        await asyncio.sleep(3600)

        assert counted(api, POST) == tried == (size if size == 2 else 0)
        assert 5 <= counted(api, DRY_RUN) <= 20
        assert condition(api, "g", "Placed") == ("False", "TemplateRefused")
        assert {"size", "start", "members"}.isdisjoint(status_of(api))


@pytest.mark.parametrize("then", [None, USED_UP], ids=["taken", "refused for what waiting mends"])
async def test_refused_gang_is_planned_once_nothing_is_against_it(then):
    async with operator_over() as (api, _):
        api.fault = refuse(DENIED)
        api.store.create("gangjobs", gang("g"))
        await until(lambda: condition(api, "g", "Accepted") == ("False", "TemplateRefused"))
        await asyncio.sleep(300)
        api.fault = refuse(then, DRY_RUN)
        await until(lambda: is_placed(api), seconds=700)

        assert condition(api, "g", "Accepted") == ("True", "SpecUnderstood")


async def test_refusal_that_names_the_pod_is_reported_once():
    async with operator_over() as (api, _):
        api.admit = lambda it: Refusal(code=422, message=f'Pod "{it["metadata"]["name"]}" is invalid')
        api.store.create("gangjobs", gang("g"))
        await until(lambda: "InvalidSpec" in event_reasons(api))
        await asyncio.sleep(600)

        assert event_reasons(api).count("InvalidSpec") == 1


async def test_restart_goes_on_refusing():
    async with FakeApi(now) as api:
        api.store.add("nodes", node("n1"))
        api.store.add("gangjobs", gang("g"))
        api.fault = refuse(DENIED)
        async with running_operator(api):
            await until(lambda: condition(api, "g", "Accepted") == ("False", "TemplateRefused"))
            await asyncio.sleep(30)
        count = len(api.writes)
        async with running_operator(api):
            await asyncio.sleep(60)
            assert api.writes[count:] == []
            api.fault = lambda _: None
            await until(lambda: is_placed(api), seconds=700)


async def test_waiting_gang_whose_quota_is_used_up_is_not_refused():
    async with operator_over() as (api, _):
        api.fault = refuse(USED_UP)
        api.store.create("gangjobs", gang("g", size=90))
        await asyncio.sleep(60)

        assert condition(api, "g", "Accepted") == ("True", "SpecUnderstood")


async def test_dry_runs_stay_below_a_rate():
    async with operator_over() as (api, _):
        for number in range(400):
            api.store.create("gangjobs", gang(f"g{number}", size=90))
        await asyncio.sleep(5)

        assert counted(api, DRY_RUN) <= 260
        await until(lambda: counted(api, DRY_RUN) == 400)


async def test_gang_that_admission_makes_unsupported_is_refused():
    async with operator_over() as (api, _):
        api.admit = lambda it: {**it, "spec": {**it["spec"], "schedulingGates": [{"name": "a"}]}}
        api.store.create("gangjobs", gang("g"))
        await until(lambda: condition(api, "g", "Accepted") == ("False", "UnsupportedField"))

        assert pods_of(api, "g") == []


async def test_next_process_compares_what_an_earlier_one_has_created():
    async with FakeApi(now) as api:
        api.store.add("nodes", node("n1"))
        api.store.add("gangjobs", gang("g", most=8, spec=WORK))
        api.admit = asking("2")
        # The first process dies when it has created all, and before it can take anything back.
        api.fault = lambda request: Refusal(code=500) if request.verb == "DELETE" else None
        async with running_operator(api):
            await until(lambda: len(pods_of(api, "g")) == 8)
        api.fault = lambda _: None
        async with running_operator(api):
            await until(lambda: is_placed(api))

        assert len(pods_of(api, "g")) == 4


@pytest.mark.parametrize("change", ESTRANGING.values(), ids=list(ESTRANGING))
async def test_members_that_could_not_be_recognized_are_not_bound_and_not_left(change):
    async with operator_over() as (api, parts):
        api.admit = estranging(change)
        api.store.create("gangjobs", gang("g"))
        await until(lambda: condition(api, "g", "Accepted") == ("False", "TemplateRefused"))

        assert api.store.objects("pods") == []
        assert not parts.bindings
        await asyncio.sleep(300)
        assert status_of(api)["attempt"] == 1
        api.admit = lambda created: created
        await until(lambda: is_placed(api), seconds=700)
