"""What one read of the fake API server shows, as the commands have it that answer questions."""

from coschedule import GangKey, Promises
from fake_cluster.rig import DEFAULT
from lockstep.answers.plan.rules import PlanRules
from lockstep.answers.reading.cluster import kinds_of, one_client, read_cluster
from lockstep.belief.state import State
from lockstep.cycle.planning.holds import HoldPolicy
from lockstep.cycle.planning.sizing import SizingPolicy
from lockstep.facts.sizing import Sizing


def rules(sizing=Sizing.BALANCED, factor=4.0, promises=Promises.SLACK):
    """The rules by which the operator plans."""
    return PlanRules(sizing=SizingPolicy(sizing=sizing, factor=factor), promises=promises, holds=HoldPolicy())


def key(name):
    """The key of a gang of the default namespace."""
    return GangKey(DEFAULT, name)


async def read_state(api, **options):
    """The state after one read of the fake API server."""
    state = State(lambda: None, **options)
    read = []
    async with one_client(api.configuration) as client:
        await read_cluster(client, state, kind_read=lambda: read.append(None))
    assert len(read) == len(kinds_of(state))
    return state
