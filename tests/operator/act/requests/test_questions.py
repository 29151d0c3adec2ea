"""One question about each gang: never too many at once, and with pauses that grow after failures."""

import asyncio

import pytest

from builders.facts import gang_fact
from fake_cluster.jumping import now, until
from lockstep.act.members.missing_members import LISTS_AT_ONCE
from lockstep.act.missing_predecessors import READS_AT_ONCE
from lockstep.act.requests.questions import Questions
from lockstep.belief.state import State

pytestmark = pytest.mark.asyncio

GANG = gang_fact("g")


class Server:
    """Answers questions after a second each; ``asked`` has the time of each of them."""

    def __init__(self, *answers):
        self.answers = iter(answers)
        self.asked = []
        self.inside = 0
        self.most_inside = 0

    async def ask(self, _gang, _subject):
        self.asked.append(now())
        self.inside += 1
        self.most_inside = max(self.most_inside, self.inside)
        try:
            await asyncio.sleep(1)
        finally:
            self.inside -= 1
        answer = next(self.answers, True)
        if isinstance(answer, Exception):
            raise answer
        return answer


@pytest.fixture
def state():
    return State(lambda: None)


async def answered(questions, gang=GANG, subject=1):
    """Ask until the answer is yes, as the cycle does."""
    await until(lambda: questions.is_confirmed(gang, subject), seconds=3600)


@pytest.mark.parametrize("at_once", [READS_AT_ONCE, LISTS_AT_ONCE])
async def test_thousand_gangs_ask_a_few_questions_at_once(state, at_once):
    server = Server()
    questions = Questions(state, server.ask, at_once=at_once)
    gangs = [gang_fact(f"g{i}") for i in range(1000)]
    await asyncio.gather(*(answered(questions, gang) for gang in gangs))

    assert server.most_inside == at_once
    assert len(server.asked) == 1000


@pytest.mark.parametrize("failure", [False, RuntimeError("broken")], ids=["no answer", "an error"])
async def test_pauses_grow_after_failures(state, failure):
    server = Server(*[failure] * 8)
    questions = Questions(state, server.ask, at_once=1)
    await answered(questions)

    pauses = [after - before - 1 for before, after in zip(server.asked, server.asked[1:], strict=False)]
    assert pauses == pytest.approx([1, 2, 4, 8, 16, 32, 60, 60], abs=0.2)


@pytest.mark.parametrize("answer", [False, True])
async def test_gang_is_reconciled_again_after_each_answer(state, answer):
    questions = Questions(state, Server(answer).ask, at_once=1)
    questions.is_confirmed(GANG, 1)
    assert GANG.key not in state.changes.gangs
    await asyncio.sleep(2.5)

    assert GANG.key in state.changes.gangs


async def test_yes_about_another_subject_or_another_gang_of_that_name_is_none(state):
    questions = Questions(state, Server().ask, at_once=1)
    await answered(questions)

    assert questions.is_confirmed(GANG, 1)
    assert not questions.is_confirmed(GANG, 2)
    assert not questions.is_confirmed(gang_fact("g", uid="another"), 1)


async def test_forgotten_gang_is_asked_about_again_without_the_pauses_of_before(state):
    server = Server(*[False] * 5)
    questions = Questions(state, server.ask, at_once=1)
    questions.is_confirmed(GANG, 1)
    await asyncio.sleep(1.5)
    questions.forget(GANG.key)
    assert not questions.is_confirmed(GANG, 1)
    await asyncio.sleep(0)

    assert server.asked == pytest.approx([server.asked[0], server.asked[0] + 1.5], abs=0.2)


async def test_stop_ends_all_questions(state):
    server = Server()
    questions = Questions(state, server.ask, at_once=1)
    for i in range(3):
        questions.is_confirmed(gang_fact(f"g{i}"), 1)
    await asyncio.sleep(0.5)
    await questions.stop()
    await asyncio.sleep(10)

    assert (len(server.asked), server.inside) == (1, 0)
