"""A command asks for an answer where its user lacks rights, and goes on without one where there is none."""

import pytest

from coschedule import GangKey
from lockstep.answers.reading.errors import AnswerError
from lockstep.api.client.answer import Answer, ApiUnavailableError
from lockstep.belief.gangs.phases import Phase
from lockstep.tenants.answer_text import explanation_lines, note_on_answer
from lockstep.tenants.asking import ask_answer
from lockstep.tenants.documents import AnswerKind, explanation_object
from lockstep.tenants.explanation import Explanation
from lockstep.tenants.others import OtherGangs

OURS = {"details": {"group": "answers.lockstep.dev", "retryAfterSeconds": 0}}


class Answering:
    def __init__(self, answer):
        self.answer, self.paths = answer, []

    async def get(self, target):
        self.paths.append(target.path)
        if self.answer is None:
            raise ApiUnavailableError("503")
        return self.answer


async def asked(answer):
    return await ask_answer(Answering(answer), AnswerKind.QUEUES, "tenant", "default")


@pytest.mark.asyncio
async def test_answer_is_asked_for_by_its_path():
    client = Answering(Answer(200, {"kind": "Queue"}))

    assert await ask_answer(client, AnswerKind.QUEUES, "a/../b", "default") == {"kind": "Queue"}
    assert client.paths == ["/apis/answers.lockstep.dev/v1alpha1/namespaces/a%2F..%2Fb/queues/default"]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(None, id="a dead server"),
        pytest.param(Answer(404, {"message": "404 page not found"}), id="no such group"),
        pytest.param(Answer(403, {"message": "no", "details": {"group": "answers.lockstep.dev"}}), id="no right to it"),
        pytest.param(Answer(503, {"message": "busy", **OURS}), id="no plan"),
    ],
)
async def test_no_answer_is_none(answer):
    assert await asked(answer) is None


@pytest.mark.asyncio
async def test_refusal_of_the_server_is_the_answer():
    with pytest.raises(AnswerError, match="There is none"):
        await asked(Answer(404, {"message": "There is none.", **OURS}))


def test_gang_that_is_not_in_the_plan_has_a_line_that_says_so():
    others = OtherGangs(waiting=2000, running=0, members=0, freed=(), lasting=3)
    answer = Explanation(
        gang=GangKey("tenant", "last"),
        now=1_000_000.0,
        phase=Phase.WAITING,
        size=None,
        start=None,
        finish=None,
        others=others,
        plan=None,
    )
    document = explanation_object(answer)

    assert [*explanation_lines(document)] == [
        "tenant/last is waiting.",
        "  It is not in this plan: its conditions say more (kubectl describe).",
        "",
        "All namespaces: 2000 gangs planned, 0 gangs on nodes with 0 members.",
        "  Expected to become free: 3 nodes at an unknown time.",
    ]
    assert note_on_answer(document, 1_000_007.0).endswith("as of 7 s ago.")
