"""Agents as processes beside a real control plane and the operator: what they say counts, and whatever ends it."""

import json
import time
from datetime import datetime
from itertools import cycle

import pytest

from builders.manifests import gang
from eventually import eventually
from live.agents import LIFETIME_SECONDS, Agent, Wire
from live.arena import BIDS
from lockstep.agent.history.history import History, HourOfLoad
from lockstep.agent.history.history_file import Learnt, load, save
from lockstep.agent.history.hours import clock_hour
from lockstep.api.nodebid.offer import FIELD_MANAGER

pytestmark = pytest.mark.usefixtures("operator", "agents")

YEAR_SECONDS = 365 * 86_400

LOADS = cycle([1.9, 0.1])
"""In cores of four. A bid states the mean of five minutes, which moves far enough towards each of them in two.

Above two cores it would not: no bid says that more than a half is lost while no gang runs there.
"""


@pytest.fixture
def on_nodes(agents, arena, tmp_path):
    """Put agents on so many new nodes; they are not started."""
    made = []

    def put(count):
        made.extend(Agent(agents, node, tmp_path / node) for node in arena.add_nodes(count))
        return made[-count:]

    yield put
    for agent in made:
        agent.close()


@pytest.fixture
def agent(on_nodes):
    """An agent that runs, on the arena's only node; the operator knows it."""
    [agent] = on_nodes(1)
    agent.start()
    until_measured(agent)
    return agent


@pytest.fixture
def wire(agents):
    """A wire to the API server."""
    wire = Wire(agents)
    yield wire
    wire.close()


def until_measured(*agents):
    for agent in agents:
        eventually(lambda agent=agent: "dutyCycle" in agent.spec())


def expires(agent):
    """When the bid expires, in seconds since the epoch; 0 where there is none."""
    at = agent.spec().get("expiresAt")
    return datetime.fromisoformat(at).timestamp() if at else 0.0


def until_expired(agent):
    eventually(lambda: agent.planned().get("state") == "Expired")


def until_renewed(agent):
    """Wait until the bid is renewed from now on."""
    before = expires(agent)
    eventually(lambda: expires(agent) > max(before, time.time()))


def test_gang_avoids_the_node_that_is_measured_busy(arena, on_nodes):
    busy, idle = on_nodes(2)
    busy.host_cores = 3.5
    for one in (busy, idle):
        one.start()
    until_measured(busy, idle)
    eventually(lambda: (busy.bid(), busy.planned().get("slowdown") not in {None, "1000m"})[1])

    arena.submit(gang("heat", size=1, work={"serialTime": "1h"}))

    arena.until_placed("heat")
    assert arena.nodes_of("heat") == [idle.node]
    [pod] = arena.pods("heat")
    eventually(lambda: idle.planned()["memberUids"] == [pod["metadata"]["uid"]])
    assert idle.planned()["members"] == 1


def test_kubectl_shows_what_is_offered_and_why(agents, agent):
    eventually(lambda: agent.planned().get("state") == "Offered")

    table = agents.kubectl("get", "nb", agent.node, "-o", "wide")

    assert "Members may start. They take" in table
    assert "Local work delays members" in table


def test_bid_of_an_agent_that_was_killed_expires_and_members_may_start(agent, arena):
    agent.kill()

    until_expired(agent)

    assert "not renewed in time" in agent.planned()["message"]
    arena.submit(gang("heat", size=1))
    arena.until_placed("heat")


def test_agent_ends_at_once_when_it_gets_a_signal(agent):
    assert agent.stop() == 0


@pytest.mark.search("agents in trouble")
def test_agent_that_was_cut_off_goes_on_when_it_is_not_any_more(on_nodes, wire):
    [agent] = on_nodes(1)
    agent.server = wire.url
    agent.start()
    until_measured(agent)

    wire.cut()
    until_expired(agent)
    wire.mend()

    until_renewed(agent)
    assert agent.log.read_text().count("WARNING lockstep.agent.bid.repeated_failure: the bid can't be written") == 1


@pytest.mark.search("agents in trouble")
def test_agent_whose_token_is_revoked_goes_on_with_the_next(agent):
    agent.log_out()
    until_expired(agent)

    agent.log_in()

    until_renewed(agent)
    assert "the bid can't be written: Unauthorized" in agent.log.read_text()


@pytest.mark.search("agents in trouble")
def test_history_that_is_damaged_is_dropped_and_costs_nothing_else(on_nodes):
    [agent] = on_nodes(1)
    agent.history.write_bytes(b"\x00{" * 1000)
    agent.start()

    until_measured(agent)

    assert "history" in agent.log.read_text()


@pytest.mark.search("agents in trouble")
@pytest.mark.parametrize("step", [-YEAR_SECONDS, YEAR_SECONDS])
def test_bid_of_a_node_whose_clock_is_wrong_expires_when_it_should(on_nodes, step):
    [agent] = on_nodes(1)
    agent.set_clock(step)
    agent.start()
    until_measured(agent)

    until_renewed(agent)

    bid = agent.bid()
    assert epoch(bid["spec"]["expiresAt"]) - written(bid) == pytest.approx(LIFETIME_SECONDS, abs=600)


@pytest.mark.search("agents in trouble")
def test_clock_that_is_set_while_the_agent_runs_costs_nothing_that_it_knows(on_nodes):
    """An owner left a terminal an hour ago, by the clock that was right then; a week of the node is known."""
    [agent] = on_nodes(1)
    agent.files.typed_last(time.time() - 3600)
    today = clock_hour(time.time()).day
    week = {today - ago: [HourOfLoad(0.1, 0.2)] * 24 for ago in range(7, 0, -1)}
    assert save(agent.history, Learnt(history=History(days=week)), "") is None
    agent.start()
    began = until_said_anew(agent)["status"]["measured"]["since"]

    for ahead in (YEAR_SECONDS, -YEAR_SECONDS, 0.0):
        agent.set_clock(ahead)
        bid = until_said_anew(agent)

        spec, measured = bid["spec"], bid["status"]["measured"]
        assert epoch(spec["expiresAt"]) - written(bid) == pytest.approx(LIFETIME_SECONDS, abs=600)
        assert epoch(spec["forecast"][0]["from"]) - written(bid) == pytest.approx(0, abs=7200)
        assert (spec["ownerPresent"], measured["ownerPresent"], measured["since"]) == (False, False, began)
    assert agent.stop() == 0
    assert isinstance(load(agent.history, today=today, measured_on=""), Learnt)


def until_said_anew(agent):
    """Have the node do something else from now on; return the bid once it has changed, in its status too."""
    before = agent.spec().get("dutyCycle")
    agent.host_cores = next(LOADS)

    def probe():
        bid = agent.bid()
        said = bid.get("status", {}).get("measured", {}).get("dutyCycle")
        return bid if said == bid.get("spec", {}).get("dutyCycle") not in {before, None} else None

    return eventually(probe, seconds=120)


def epoch(time_of_day):
    return datetime.fromisoformat(time_of_day).timestamp()


def written(bid):
    """When the agent wrote the bid's spec, by the API server's clock."""
    [entry] = [
        one
        for one in bid["metadata"]["managedFields"]
        if one["manager"] == FIELD_MANAGER and not one.get("subresource")
    ]
    return epoch(entry["time"])


def test_what_two_people_set_by_hand_stays_and_all_else_is_renewed(agents, agent):
    bid = {"apiVersion": "lockstep.dev/v1alpha1", "kind": "NodeBid", "metadata": {"name": agent.node}}
    mine = json.dumps({**bid, "spec": {"dutyCycle": "3", "capacity": "2", "slots": 2}})
    agents.kubectl("apply", "--server-side", "--force-conflicts", "--field-manager=first", "-f", "-", stdin=mine)
    agents.request("PATCH", f"{BIDS}/{agent.node}", {"spec": {"ownerPresent": True}})

    until_renewed(agent)
    until_renewed(agent)

    kept = {name: agent.spec()[name] for name in ("dutyCycle", "slots", "ownerPresent")}
    assert kept == {"dutyCycle": "3", "slots": 2, "ownerPresent": True}
    eventually(lambda: agent.planned()["slowdown"] == "2000m")


def test_bid_that_a_user_deletes_comes_again_with_its_status(agents, agent):
    agents.request("DELETE", f"{BIDS}/{agent.node}")

    eventually(lambda: agent.bid().get("status", {}).get("measured"))


def test_agent_of_a_node_that_is_labelled_off_ends_and_the_bid_says_why(agents, agent):
    agents.request("PATCH", f"/api/v1/nodes/{agent.node}", {"metadata": {"labels": {"lockstep.dev/agent": "off"}}})
    # As the DaemonSet's controller ends it.
    agent.stop()

    until_expired(agent)

    assert agent.planned()["message"].startswith("The node is labelled lockstep.dev/agent=off")
