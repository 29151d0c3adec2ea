"""A command asks for an answer where its user lacks rights, and goes on without one where there is none."""

import pytest

from coschedule import GangKey
from lockstep.answers.reading.errors import AnswerError
from lockstep.api.client.answer import Answer, ApiUnavailableError
from lockstep.belief.gangs.phases import Phase
from lockstep.tenants.commands.answer_text import explanation_lines, note_on_answer, queue_answer_lines
from lockstep.tenants.commands.asking import NoAnswer, ask_answer
from lockstep.tenants.commands.document_shapes import is_answer
from lockstep.tenants.documents import AnswerKind, explanation_object
from lockstep.tenants.explanation import Explanation
from lockstep.tenants.others import OtherGangs

OURS = {"details": {"group": "answers.lockstep.dev", "retryAfterSeconds": 5}}
OTHERS = {"waiting": 0, "running": 1, "members": 2, "freed": [{"withinMinutes": 5, "nodes": 2}], "lasting": 0}
QUEUE = {
    "apiVersion": "answers.lockstep.dev/v1alpha1",
    "kind": "Queue",
    "metadata": {"namespace": "tenant", "name": "default"},
    "now": "2026-11-28T12:00:00Z",
    "others": OTHERS,
    "gangs": [],
    "leftOut": 0,
}
RUNS = {
    "kind": "GangJob",
    "name": "heat",
    "state": "Running",
    "size": 4,
    "nodes": 2,
    "since": "2026-11-28T11:00:00Z",
    "expectedFinish": None,
}
USE = "Its group has used 1.2 times its share lately."


class Answering:
    """Gives one answer, as the client does: the last of several tries is part of its error."""

    def __init__(self, answer):
        self.answer, self.paths = answer, []

    async def get(self, target, params=None):
        self.paths.append(target.path)
        if self.answer is None or self.answer.code >= 429:
            raise ApiUnavailableError("GET queues: no", self.answer)
        return self.answer


def unplanned(name, others, **more):
    """The explanation of a gang that waits and is not in the plan."""
    unknown = {"size": None, "start": None, "finish": None, "plan": None}
    gang = GangKey("tenant", name)
    return explanation_object(
        Explanation(gang=gang, now=1_000_000.0, phase=Phase.WAITING, others=others, **unknown, **more)
    )


async def asked(answer):
    return await ask_answer(Answering(answer), AnswerKind.QUEUES, "tenant", "default")


@pytest.mark.asyncio
async def test_answer_is_asked_for_by_its_path():
    client = Answering(Answer(200, QUEUE))

    assert await ask_answer(client, AnswerKind.QUEUES, "a/../b", "default") == QUEUE
    assert client.paths == ["/apis/answers.lockstep.dev/v1alpha1/namespaces/a%2F..%2Fb/queues/default"]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("answer", "want"),
    [
        pytest.param(Answer(404, {"message": "404 page not found"}), "", id="no such group"),
        pytest.param(Answer(403, {"message": "no", "details": {"group": "answers.lockstep.dev"}}), "", id="no right"),
        pytest.param(
            None, "The cluster's API for tenants does not answer: GET queues: no.", id="no answer of any server"
        ),
        pytest.param(
            Answer(503, {"message": "service unavailable\n"}),
            "The cluster's API for tenants gives no answer now (503): service unavailable.",
            id="a dead server",
        ),
        pytest.param(
            Answer(503, {"message": "The cluster can't be read now.", **OURS}),
            "The cluster's API for tenants gives no answer now (503): The cluster can't be read now. Ask again in 5 s.",
            id="no plan",
        ),
        pytest.param(
            Answer(429, {"message": "You ask too often.", **OURS}),
            "The cluster's API for tenants gives no answer now (429): You ask too often. Ask again in 5 s.",
            id="too often",
        ),
    ],
)
async def test_reason_for_no_answer_says_what_it_is_and_when_to_ask_again(answer, want):
    assert await asked(answer) == NoAnswer(want)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "odd",
    [
        pytest.param({}, id="nothing"),
        pytest.param({**QUEUE, "kind": "List"}, id="of another kind"),
        pytest.param({**QUEUE, "apiVersion": "v1"}, id="of another group"),
        pytest.param({key: value for key, value in QUEUE.items() if key != "gangs"}, id="without a field"),
        pytest.param({**QUEUE, "now": "at noon"}, id="no time"),
        pytest.param({**QUEUE, "gangs": {"name": "mine"}}, id="no list"),
        pytest.param({**QUEUE, "gangs": [{"name": 7}]}, id="an odd gang"),
        pytest.param({**QUEUE, "others": {**OTHERS, "members": True}}, id="no number"),
        pytest.param({**QUEUE, "running": [{**RUNS, "nodes": None}]}, id="an odd gang that runs"),
        pytest.param({**QUEUE, "useOfGroup": 7}, id="an odd use of a group"),
    ],
)
async def test_odd_answer_of_another_server_is_one_sentence(odd):
    want = "The answer of the cluster's API for tenants is no readable object of queues."
    assert await asked(Answer(200, odd)) == NoAnswer(want)


@pytest.mark.asyncio
async def test_refusal_of_the_server_is_the_answer():
    with pytest.raises(AnswerError, match="There is none"):
        await asked(Answer(404, {"message": "There is none.", **OURS}))


def test_gang_that_is_not_in_the_plan_has_a_line_that_says_so():
    others = OtherGangs(waiting=2000, running=0, members=0, freed=(), lasting=3)
    document = unplanned("last", others)

    assert is_answer(AnswerKind.GANGJOB_EXPLANATIONS, document)
    assert [*explanation_lines(document)] == [
        "tenant/last is waiting.",
        "  It is not in this plan: its conditions say more (kubectl describe).",
        "",
        "All namespaces: 2000 gangs planned, 0 gangs on nodes with 0 members.",
        "  Expected to become free: 3 nodes at an unknown time.",
    ]
    assert note_on_answer(document, 1_000_007.0).endswith("is 7 s old.")


def test_queue_has_the_gangs_that_run_above_those_that_wait_and_what_the_group_has_used():
    waits = {"kind": "Gang", "name": "pods", "position": 1, "size": 2, "start": None, "latestStart": None}
    document = {**QUEUE, "running": [RUNS], "runningLeftOut": 5, "gangs": [waits], "useOfGroup": USE}

    assert is_answer(AnswerKind.QUEUES, document)
    assert [" ".join(line.split()) for line in queue_answer_lines(document)] == [
        "STATE GANG SIZE NODES HELD FOR ENDS IN",
        "Running tenant/heat 4 2 1 h unknown",
        "(5 more gangs hold nodes)",
        "",
        "POSITION GANG SIZE STARTS IN AT THE LATEST",
        "1 tenant/gang/pods 2 - -",
        USE,
        "",
        "All namespaces: 0 gangs planned, 1 gang on nodes with 2 members.",
        "Expected to become free: 2 nodes within 5 min.",
    ]


def test_queue_of_an_earlier_version_has_no_gangs_that_run():
    assert is_answer(AnswerKind.QUEUES, QUEUE)
    assert next(iter(queue_answer_lines(QUEUE))) == "No gang waits in the namespace tenant."


def test_explanation_has_a_line_on_what_the_group_has_used():
    others = OtherGangs(waiting=0, running=0, members=0, freed=(), lasting=0)
    document = unplanned("heat", others, use_of_group=USE)

    assert is_answer(AnswerKind.GANGJOB_EXPLANATIONS, document)
    assert f"  {USE}" in [*explanation_lines(document)]
