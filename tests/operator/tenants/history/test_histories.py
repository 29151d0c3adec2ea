"""The record of a namespace: what is asked for is bounded to it, and to the time since it was made."""

import pytest

from lockstep.api.client.answer import Answer, ApiUnavailableError
from lockstep.facts.records.history_question import HistoryQuestion, HistoryScope
from lockstep.tenants.history.histories import Histories, HistoryView
from lockstep.tenants.history.recorder_client import FoundHistory, HistoryRefusedError
from lockstep.tenants.namespaces import NoNamespaceError
from lockstep.tenants.trouble import NoAnswerNowError, Trouble

pytestmark = pytest.mark.asyncio

MADE = {"items": [{"metadata": {"name": "tenant", "uid": "u", "creationTimestamp": "1970-01-01T01:00:00Z"}}]}
FOUND = FoundHistory(0, [], [], is_cut_off=False)


class Asked:
    """An API server with one answer about namespaces, and a recorder that keeps its questions."""

    def __init__(self, answer):
        self.answer, self.params, self.questions = answer, [], []
        self.histories = Histories(self, self.ask, lambda: 10_000_000.0)

    async def get(self, target, params):
        assert target.resource == "namespaces"
        self.params.append(params)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    async def ask(self, asked, scope):
        self.questions.append((asked, scope))
        return FOUND


async def test_recorder_is_asked_about_the_namespace_since_it_was_made():
    asked = Asked(Answer(200, MADE))

    found = await asked.histories.history(HistoryView("tenant", with_pod_gangs=False), {"user": "ada"}, "jane")

    assert found is FOUND
    assert asked.params == [{"fieldSelector": "metadata.name=tenant"}]
    question = HistoryQuestion(since=10_000_000 - 30 * 86_400, until=10_000_000, user="ada")
    assert asked.questions == [(question, HistoryScope(namespace="tenant", made=3600, with_pod_gangs=False))]


@pytest.mark.parametrize(
    ("query", "answer", "error", "want"),
    [
        pytest.param(
            *({"limit": "x"}, Answer(200, MADE), HistoryRefusedError, "limit is not from 1 to 1000."), id="nonsense"
        ),
        pytest.param(
            *({}, Answer(200, {"items": []}), NoNamespaceError, "There is no namespace tenant now."),
            id="a namespace of before",
        ),
    ],
)
async def test_question_without_an_answer_has_a_sentence(query, answer, error, want):
    asked = Asked(answer)

    with pytest.raises(error) as caught:
        await asked.histories.history(HistoryView("tenant", with_pod_gangs=True), query, "jane")
    assert (str(caught.value), asked.questions) == (want, [])


@pytest.mark.parametrize("answer", [ApiUnavailableError("away"), Answer(403, {"message": "no"})], ids=["away", "no"])
async def test_recorder_is_not_asked_while_it_is_unknown_since_when_the_namespace_is_there(answer):
    asked = Asked(answer)

    with pytest.raises(NoAnswerNowError) as caught:
        await asked.histories.history(HistoryView("tenant", with_pod_gangs=True), {}, "jane")
    assert (caught.value.trouble, asked.questions) == (Trouble.CLUSTER_UNREAD, [])
