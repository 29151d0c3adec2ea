"""An error says that a token is not accepted, whatever is asked; another one names the right that is missing."""

import pytest

from coschedule import GangKey
from fake_cluster.scripted import ScriptedServer, status
from lockstep.answers.member_logs import LogsRequest, follow_logs, show_logs
from lockstep.answers.reading.cluster import one_client, read_cluster, read_gangs
from lockstep.answers.reading.errors import AnswerError
from lockstep.answers.requeue import requeue_gang
from lockstep.answers.resize import resize_gang
from lockstep.api.client.credentials import refused_to_person
from lockstep.belief.state import State

pytestmark = pytest.mark.asyncio

KEY = GangKey("default", "g")
# A server that has just started knows no user for a moment, so that it is asked six times.
TRIES = 6
ASK = {
    "queue": lambda client: read_gangs(client, "default"),
    "explain": lambda client: read_cluster(client, State(lambda: None), kind_read=lambda: None),
    "logs": lambda client: show_logs(client, LogsRequest(KEY), lambda _: None),
    "logs --follow": lambda client: follow_logs(client, LogsRequest(KEY), lambda _: None),
    "requeue": lambda client: requeue_gang(client, KEY, within_seconds=60),
    "resize": lambda client: resize_gang(client, KEY, None),
}


async def sentence(asking, refusal):
    async with ScriptedServer(*[refusal] * TRIES) as server, one_client(server.configuration) as client:
        with pytest.raises(AnswerError) as caught:
            await asking(client)
        return str(caught.value), server.configuration


@pytest.mark.parametrize("asking", ASK.values(), ids=ASK)
async def test_credentials_that_are_not_accepted_are_no_missing_right(asking):
    said, configuration = await sentence(asking, status(401, "Unauthorized"))

    assert said == f"{refused_to_person(configuration)}."
    assert "is needed" not in said


@pytest.mark.parametrize("asking", ASK.values(), ids=ASK)
async def test_right_that_is_missing_is_named(asking):
    said, _ = await sentence(asking, status(403, "you may not"))

    assert said.startswith("The verb ")
    assert " is needed" in said
    assert said.endswith(": you may not.")
