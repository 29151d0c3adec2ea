"""One turn at a time: no party waits for more than one turn of each other one."""

import asyncio

import pytest

from lockstep.api.client.review import Caller
from lockstep.tenants.fair_turns import MOST_OF_PARTY, MOST_WAITING, FairTurns, TooManyWaitError
from lockstep.tenants.parties import party_of

pytestmark = pytest.mark.asyncio


class Work:
    """Pieces of work of parties, which each take until they are let go; the first one is under way."""

    def __init__(self):
        self.turns, self.done, self.tasks = FairTurns(), [], []
        self.go = asyncio.Event()

    async def ask(self, party):
        task = asyncio.create_task(self._work(party))
        self.tasks.append(task)
        await asyncio.sleep(0)
        return task

    async def _work(self, party):
        async with self.turns.turn(party):
            await self.go.wait()
            self.done.append(party)

    async def all_done(self):
        self.go.set()
        return await asyncio.gather(*self.tasks, return_exceptions=True)


async def test_party_that_asks_for_much_lets_others_in_after_one():
    work = Work()
    for party in ("eager",) * MOST_OF_PARTY + ("patient",):
        await work.ask(party)
    await work.all_done()

    assert work.done == ["eager", "eager", "patient", "eager", "eager"]


async def test_only_some_of_one_party_wait():
    work = Work()
    await work.ask("first")
    for _ in range(MOST_OF_PARTY):
        await work.ask("eager")
    with pytest.raises(TooManyWaitError):
        await (await work.ask("eager"))


async def test_full_queue_takes_a_new_party_in_place_of_the_last_of_the_largest():
    """Eight parties with four questions each kept a ninth one out."""
    work = Work()
    await work.ask("first")
    parties = [f"party-{number}" for number in range(MOST_WAITING // MOST_OF_PARTY)]
    for party in parties:
        for _ in range(MOST_OF_PARTY):
            await work.ask(party)

    await work.ask("ninth")
    outcomes = await work.all_done()

    assert work.done.index("ninth") <= len(parties) + 1
    assert [type(one) for one in outcomes if one is not None] == [TooManyWaitError]
    assert work.done.count("party-0") == MOST_OF_PARTY - 1


async def test_queue_that_is_full_of_single_questions_takes_no_more():
    work = Work()
    await work.ask("first")
    for number in range(MOST_WAITING):
        await work.ask(f"party-{number}")

    with pytest.raises(TooManyWaitError):
        await (await work.ask("another"))


@pytest.mark.parametrize("gives_up", [0, 1, 2], ids=["the one at work", "the next", "the last"])
async def test_one_that_gives_up_holds_up_no_other(gives_up):
    work = Work()
    for party in "abc":
        await work.ask(party)

    work.tasks[gives_up].cancel()
    await work.all_done()

    assert len(work.done) == 2


async def test_turn_that_comes_when_its_party_gives_up_goes_to_the_next():
    work = Work()

    async def first():
        async with work.turns.turn("a"):
            await asyncio.sleep(0)
        # The next one has the turn by now, and does not know yet.
        work.tasks[0].cancel()

    under_way = asyncio.create_task(first())
    for party in "bc":
        await work.ask(party)
    await under_way
    await work.all_done()

    assert work.done == ["c"]


@pytest.mark.parametrize(
    ("name", "want"),
    [("jane", "jane"), ("system:serviceaccount:blue:ci-7", "system:serviceaccount:blue")],
    ids=["user", "service account"],
)
async def test_service_accounts_of_one_namespace_are_one_party(name, want):
    assert party_of(Caller({"username": name})) == want
