"""One plan at a time is made, and shared by all who ask while it is kept."""

import asyncio
from types import SimpleNamespace

import pytest

from coschedule import GangKey
from lockstep.tenants.namespaces import OwnNamespace
from lockstep.tenants.shared_plan import KEPT_SECONDS, AskingUser, NamespaceView, SharedPlans
from lockstep.tenants.supposing.questions import Question
from lockstep.tenants.trouble import NoAnswerNowError, Trouble

pytestmark = pytest.mark.asyncio


class Cluster:
    """Counts the plans that are made; each takes ``takes`` seconds of its clock, once it is released."""

    def __init__(self, *, takes=0.0, fails=False):
        self.now, self.made, self.takes, self.fails = 0.0, 0, takes, fails
        self.released = asyncio.Event()
        self.plans = SharedPlans(self.make, lambda: self.now)

    async def make(self):
        self.made += 1
        await self.released.wait()
        self.now += self.takes
        if self.fails:
            raise NoAnswerNowError(Trouble.CLUSTER_UNREAD, "10.0.0.1 does not answer")
        return SimpleNamespace(namespaces={"tenant": "first"}, state=SimpleNamespace(gangs={}), number=self.made)


async def test_all_who_ask_at_once_share_one_plan():
    cluster = Cluster()
    asking = [asyncio.create_task(cluster.plans.newest()) for _ in range(50)]
    await asyncio.sleep(0)
    cluster.released.set()

    assert {(await one).number for one in asking} == {1}


@pytest.mark.parametrize(
    ("takes", "want_kept"), [(0.0, KEPT_SECONDS), (3.0, 30.0), (100.0, 300.0)], ids=["quick", "slow", "very slow"]
)
async def test_plan_is_kept_the_longer_the_longer_it_took(takes, want_kept):
    cluster = Cluster(takes=takes)
    cluster.released.set()
    await cluster.plans.newest()
    cluster.now = takes + want_kept - 0.1
    await cluster.plans.newest()
    assert cluster.made == 1

    cluster.now = takes + want_kept
    await cluster.plans.newest()

    assert cluster.made == 2


async def test_error_is_kept_as_a_plan_is():
    cluster = Cluster(fails=True)
    cluster.released.set()

    for _ in range(3):
        with pytest.raises(NoAnswerNowError, match="does not answer"):
            await cluster.plans.newest()

    assert cluster.made == 1


async def test_caller_that_gives_up_takes_the_plan_from_no_other():
    cluster = Cluster()
    asking = [asyncio.create_task(cluster.plans.newest()) for _ in range(2)]
    await asyncio.sleep(0)
    asking[0].cancel()
    await asyncio.sleep(0)
    cluster.released.set()

    assert (await asking[1]).number == 1


QUESTION = Question("tenant", "wish", {})
FIRST, SECOND = (AskingUser("jane", OwnNamespace("tenant", uid, 0)) for uid in ("first", "second"))


@pytest.mark.parametrize(
    "ask",
    [
        pytest.param(lambda plans: plans.of_namespace(SECOND.own), id="queue"),
        pytest.param(lambda plans: plans.explanation(GangKey("tenant", "a"), SECOND), id="explanation"),
        pytest.param(lambda plans: plans.timeline(NamespaceView("tenant", with_pod_gangs=True), SECOND), id="timeline"),
        pytest.param(lambda plans: plans.plan_with(QUESTION, SECOND), id="plan"),
        pytest.param(lambda plans: plans.plan_with_sweep(QUESTION, SECOND), id="plan of a sweep"),
    ],
)
async def test_plan_shows_a_namespace_nothing_of_another_one_of_its_name(ask):
    cluster = Cluster()
    cluster.released.set()

    with pytest.raises(NoAnswerNowError) as caught:
        await ask(cluster.plans)
    assert caught.value.trouble == Trouble.NAMESPACE_NEWER
    assert (await cluster.plans.of_namespace(FIRST.own)).number == 1
    assert await cluster.plans.explanation(GangKey("tenant", "a"), FIRST) is None
