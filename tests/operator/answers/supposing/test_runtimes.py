"""Runtimes that are not in the file are read, once each, or a sentence says what is missing."""

import orjson
import pytest

from builders.train_jobs import runtime_job, runtime_of, train_job
from fake_cluster.scripted import Reply, ScriptedServer, status
from lockstep.answers.reading.cluster import one_client
from lockstep.answers.reading.errors import AnswerError, NotAllowedError
from lockstep.answers.supposing.runtimes import read_runtimes, runtimes_in

pytestmark = pytest.mark.asyncio

TRIES = 6


def in_team(one):
    return {**one, "metadata": {"namespace": "team", **one["metadata"]}}


async def read(answers, *objects):
    async with ScriptedServer(*answers) as server, one_client(server.configuration) as client:
        return await read_runtimes(client, [in_team(one) for one in objects])


async def test_runtime_is_read_once_for_all_train_jobs_that_name_it():
    body = {key: value for key, value in runtime_of(runtime_job()).items() if key not in ("kind", "apiVersion")}

    [found] = await read([Reply(200, orjson.dumps(body))], train_job(), train_job())

    assert [name.name for name in runtimes_in([found])] == ["torch"]


async def test_runtime_of_the_file_is_not_read():
    assert await read([], train_job(), runtime_of(runtime_job())) == []


async def test_runtime_that_is_nowhere_is_named():
    with pytest.raises(AnswerError, match="torch, which is neither in the file nor in the cluster"):
        await read([status(404, "not found", name="torch")], train_job())


async def test_kind_that_the_cluster_may_not_have_is_named():
    with pytest.raises(AnswerError, match="torch, which is not in the file, and the cluster may have no such kind"):
        await read([status(404, "404 page not found")], train_job())


async def test_right_that_is_missing_is_named():
    with pytest.raises(NotAllowedError, match="needs the verb get on trainingruntimes, or its TrainingRuntime in"):
        await read([status(403, "you may not")] * TRIES, train_job(kind="TrainingRuntime"))


async def test_name_of_a_runtime_leads_nowhere_else():
    async with ScriptedServer(status(404, "not found")) as server, one_client(server.configuration) as client:
        with pytest.raises(AnswerError, match="neither in the file nor"):
            await read_runtimes(client, [in_team(train_job(runtime="../../pods?watch=true"))])

        assert server.asked == [], "no object has such a name"
