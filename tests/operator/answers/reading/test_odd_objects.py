"""Objects of a later version, with values that this version does not know: commands show all others."""

import pytest

from builders.served import gang, metadata
from coschedule import GangKey
from fake_cluster.scripted import ScriptedServer, page, reply
from fake_cluster.sweeps import sweep
from lockstep.answers.reading.cluster import one_client, read_gangs, read_pod_gangs, read_sweeps
from lockstep.answers.reading.errors import AnswerError
from lockstep.answers.resize import resize_gang
from lockstep.answers.sweeps.reading import read_sweep
from lockstep.facts.gang.keys import object_name
from lockstep.facts.reasons import Reason
from lockstep.facts.runs.sweep_keys import sweep_key

pytestmark = pytest.mark.asyncio

ODD = {**gang("odd"), "spec": {**gang("odd")["spec"], "failurePolicy": {"rules": [{"action": "Teleport"}]}}}
KEY = GangKey("default", "odd")


def served_sweep(name, **spec):
    return {**sweep(name, **spec), "metadata": metadata(name, namespace="default", generation=1)}


async def test_gang_counts_as_refused():
    async with ScriptedServer(page(ODD, gang("good"))) as server, one_client(server.configuration) as client:
        odd, good = await read_gangs(client, None)

    assert (odd.key.name, odd.refusal.reason, good.refusal) == ("odd", Reason.INVALID_SPEC, None)


async def test_gang_of_pods_counts_as_refused():
    odd = {"metadata": metadata("odd", namespace="default"), "spec": {}, "status": {"members": [{"node": "n1"}]}}
    async with ScriptedServer(page(odd)) as server, one_client(server.configuration) as client:
        [gang_of_pods] = await read_pod_gangs(client, None)

    assert (object_name(gang_of_pods.key), gang_of_pods.refusal.reason) == ("odd", Reason.INVALID_SPEC)


async def test_command_for_such_a_gang_says_why_not():
    async with ScriptedServer(reply(content=ODD)) as server, one_client(server.configuration) as client:
        with pytest.raises(
            AnswerError, match=r"is refused: The GangJob can't be understood: 'Teleport' is not a valid"
        ):
            await resize_gang(client, KEY, 2)


async def test_sweep_is_left_out():
    odd = served_sweep("odd", runTimes="Quantum")
    async with ScriptedServer(page(odd, served_sweep("good"))) as server, one_client(server.configuration) as client:
        [good] = await read_sweeps(client, None)

    assert good.key == sweep_key("default", "good")


async def test_command_for_such_a_sweep_says_why_not():
    odd = reply(content=served_sweep("odd", runTimes="Quantum"))
    async with ScriptedServer(odd) as server, one_client(server.configuration) as client:
        with pytest.raises(AnswerError, match=r"GangSweep odd can't be understood: 'Quantum' is not a valid"):
            await read_sweep(client, sweep_key("default", "odd"))
