"""The queue of a namespace: its own gangs that run and wait, and a sentence on what its group has used."""

from dataclasses import replace
from types import SimpleNamespace
from unittest.mock import Mock

import orjson
import pytest
from aiohttp.test_utils import make_mocked_request

from builders.facts import gang_fact, gang_spec, node_fact
from coschedule import GangKey, Members
from lockstep.answers.queue.on_nodes import on_nodes_of
from lockstep.answers.queue.queue import queue_of
from lockstep.api.client.review import Caller
from lockstep.belief.state import State
from lockstep.facts.fair_share import CountedUse, FairShare, NamedGroup
from lockstep.facts.gang.keys import pod_gang_key
from lockstep.facts.gang.status import ConditionFact, GangStatus
from lockstep.tenants.documents import MOST_SHOWN, explanation_object
from lockstep.tenants.explanation import explain
from lockstep.tenants.namespaces import OwnNamespace
from lockstep.tenants.others import OtherGangs
from lockstep.tenants.requests import AskedOf, TenantRequests

NOW = 1_000_000.0
OTHERS = OtherGangs(waiting=9, running=9, members=9, freed=(), lasting=9)
GROUPS = (NamedGroup("physics", 3, ("tenant",)), NamedGroup("others", 1, ()))
PLACED = ConditionFact("Placed", "True", "Bound", "", 1, NOW - 60)
RUNS = GangStatus(
    attempt=1,
    size=2,
    members=(Members("n1", 2),),
    start=NOW - 60,
    reserved_at=NOW - 60,
    started_at=NOW - 60,
    expected_finish=NOW + 600,
    conditions=(PLACED,),
)


def gang(key, status=None):
    """A gang of two; it runs on one node if it has no other status."""
    return replace(gang_fact(uid=f"uid-of-{key}", spec=gang_spec(size=2), status=status or RUNS), key=key)


def state_with(*gangs, **used):
    """A cache with these gangs; groups have ``used`` so much, in seconds of all nodes."""
    state = State(lambda: None)
    state.nodes.apply(node_fact("n1"))
    for one in gangs:
        state.apply_gang(one)
    if used:
        counted = CountedUse(at=NOW, by_group=used)
        state.shares.apply(FairShare(uid="f", resource_version="1", groups=GROUPS, counted=counted))
    return state


async def queue_in(state, *resources):
    """The queue of the namespace ``tenant``, as users see it that may get these resources."""

    class Front:
        def caller(self, names, headers):
            return Caller({"username": "jane"})

    class Access:
        async def may(self, caller, asked):
            return asked.resource in resources

    class Own:
        async def of(self, caller, namespace):
            return OwnNamespace(namespace, "uid", 0)

    class Plans:
        async def of_namespace(self, own):
            gangs = state.gangs.values()
            running, queue = on_nodes_of(gangs, NOW), queue_of(gangs, NOW, are_all=True)
            return SimpleNamespace(now=NOW, state=state, running=running, queue=queue, others=OTHERS)

    requests = TenantRequests(Front(), AskedOf(Access(), Own(), None, None, Plans()), lambda: 0.0)
    [route] = [one for one in requests.routes() if getattr(one, "path", "").endswith("/queues/{name}")]
    where, without_certificate = {"namespace": "tenant", "name": "default"}, Mock(get_extra_info=lambda *_: None)
    answer = await route.handler(make_mocked_request("GET", "/", match_info=where, transport=without_certificate))
    return orjson.loads(answer.body)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("resources", "want"),
    [
        pytest.param(("gangjobs",), ["heat"], id="GangJobs only"),
        pytest.param(("gangjobs", "gangs"), ["pods", "heat"], id="both kinds"),
    ],
)
async def test_gangs_that_run_are_those_of_the_namespace_and_of_the_kinds_that_the_user_may_get(resources, want):
    others = gang(GangKey("zebra", "okapi"))
    own = [gang(GangKey("tenant", "heat")), gang(pod_gang_key("tenant", "pods"))]
    waits = gang(GangKey("tenant", "next"), GangStatus(size=2))

    queue = await queue_in(state_with(others, *own, waits), *resources)

    assert [one["name"] for one in queue["running"]] == want
    assert queue["running"][-1] == {
        "kind": "GangJob",
        "name": "heat",
        "state": "Running",
        "size": 2,
        "nodes": 1,
        "since": "1970-01-12T13:45:40Z",
        "expectedFinish": "1970-01-12T13:56:40Z",
    }
    assert ([one["name"] for one in queue["gangs"]], queue["runningLeftOut"]) == (["next"], 0)
    assert "zebra" not in str(queue)


@pytest.mark.asyncio
async def test_gangs_that_run_are_bounded_as_those_that_wait_are():
    queue = await queue_in(
        state_with(*(gang(GangKey("tenant", f"g{number}")) for number in range(MOST_SHOWN + 3))), "gangjobs"
    )

    assert (len(queue["running"]), queue["runningLeftOut"]) == (MOST_SHOWN, 3)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("used", "want"),
    [
        pytest.param({}, None, id="without groups"),
        # 90 % of what all used, at three quarters of all weights.
        pytest.param({"physics": 90.0, "others": 10.0}, "Its group has used 1.2 times its share lately.", id="used"),
    ],
)
async def test_queue_and_explanation_say_what_the_group_has_used_without_its_name(used, want):
    heat = gang(GangKey("tenant", "heat"))
    state = state_with(heat, **used)

    queue, explained = await queue_in(state, "gangjobs"), explanation_object(explain(state, None, OTHERS, heat, NOW))

    assert (queue["useOfGroup"], explained["useOfGroup"]) == (want, want)
    assert "physics" not in str((queue, explained))
