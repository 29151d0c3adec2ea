"""An agent may write what it measures into the bid of the node that its pod runs on, and nothing else anywhere."""

import json

import pytest

from eventually import eventually
from live.agents import ACCOUNT, NAMESPACE
from live.arena import BIDS
from live.tokens import token_of, token_on
from lockstep.agent.bid.connection import Server, applied, watching

MEASURED = {"dutyCycle": "250m", "capacity": "2", "ownerPresent": True, "expiresAt": "2126-01-01T00:00:00Z"}
FORECAST = [{"from": "2126-01-01T00:00:00Z", "dutyCycle": "250m", "ownerReturns": "100m"}]


@pytest.fixture
def agent(agents, arena, tmp_path):
    """How an agent on the arena's first node reaches the API server; from now on it is confined."""
    own, other = arena.add_nodes(2)
    token = tmp_path / "token"
    token.write_text(token_on(agents, own, NAMESPACE, ACCOUNT))
    server = Server(url=agents.server, authority=agents.ca_file, token=token)
    # A policy that was just applied does not count yet.
    eventually(lambda: not written(server, other, spec=MEASURED).is_success)
    yield server
    agents.request("DELETE", f"/api/v1/namespaces/{NAMESPACE}/pods/{ACCOUNT}-{own}?gracePeriodSeconds=0")
    for node in (own, other):
        arena.delete(f"{BIDS}/{node}")


def written(server, node, subresource="", metadata=None, **rest):
    """What the API server answers to an agent that writes that."""
    manifest = {
        "apiVersion": "lockstep.dev/v1alpha1",
        "kind": "NodeBid",
        "metadata": {"name": node, **(metadata or {})},
    }
    return applied(server, f"{BIDS}/{node}{subresource}", {**manifest, **rest})


def test_agent_writes_what_it_measures(agents, agent, arena):
    own = arena.nodes[0]

    made = written(agent, own, spec={**MEASURED, "forecast": FORECAST})
    changed = written(agent, own, spec={**MEASURED, "dutyCycle": "1"})
    reported = written(agent, own, "/status", status={"measured": {"message": "Busy."}})

    assert [answer.code for answer in (made, changed, reported)] == [201, 200, 200], (made, changed, reported)
    found = agents.request("GET", f"{BIDS}/{own}")
    assert found["spec"] == {**MEASURED, "dutyCycle": "1"}
    assert found["status"] == {"measured": {"message": "Busy."}}


@pytest.mark.parametrize("is_there", [False, True])
def test_agent_writes_no_other_nodes_bid(agents, agent, arena, is_there):
    own, other = arena.nodes
    if is_there:
        agents.apply(
            [{"apiVersion": "lockstep.dev/v1alpha1", "kind": "NodeBid", "metadata": {"name": other}, "spec": {}}]
        )

    answers = [written(agent, other, spec=MEASURED), written(agent, other, "/status", status={"measured": {}})]

    refused = answers if is_there else answers[:1]
    assert {answer.code for answer in refused} == {403}
    assert f"an agent on {own} may write no NodeBid but that of {own}" in refused[0].message


@pytest.mark.parametrize(
    "spec", [{"slots": 1}, {"availableUntil": "2126-01-01T00:00:00Z"}, {"availableFrom": "2026-01-01T00:00:00Z"}]
)
def test_agent_makes_no_promise_for_the_owner(agent, arena, spec):
    answer = written(agent, arena.nodes[0], spec={**MEASURED, **spec})

    assert answer.code == 403
    assert "an agent may change no field of a bid's spec but dutyCycle" in answer.message


def test_agent_takes_no_field_of_the_owner_away(agents, agent, arena):
    own = arena.nodes[0]
    bid = {"apiVersion": "lockstep.dev/v1alpha1", "kind": "NodeBid", "metadata": {"name": own}, "spec": {"slots": 2}}
    agents.kubectl("apply", "--server-side", "--field-manager=lockstep-agent", "-f", "-", stdin=json.dumps(bid))

    # The field is said to be the agent's, so leaving it out removes it.
    answer = written(agent, own, spec=MEASURED)

    assert answer.code == 403
    assert agents.request("GET", f"{BIDS}/{own}")["spec"] == {"slots": 2}


def test_agent_says_nothing_in_the_operators_name(agents, agent, arena):
    own = arena.nodes[0]
    written(agent, own, spec=MEASURED)

    answer = written(agent, own, "/status", status={"planned": {"state": "Offered"}})

    assert answer.code == 403
    assert "an agent may change no field of a bid's status but measured" in answer.message
    agents.request("PATCH", f"{BIDS}/{own}/status", {"status": {"planned": {"members": 3}}})
    assert written(agent, own, "/status", status={"measured": {"message": "Idle."}}).is_success


@pytest.mark.parametrize(
    "metadata",
    [
        {"finalizers": ["example.com/stays"]},
        {"ownerReferences": [{"apiVersion": "v1", "kind": "Node", "name": "n", "uid": "u"}]},
    ],
)
def test_agent_does_not_prevent_the_deletion_of_its_bid(agent, arena, metadata):
    answer = written(agent, arena.nodes[0], metadata=metadata, spec=MEASURED)

    assert answer.code == 403
    assert "an agent may change neither finalizers nor owners" in answer.message


def test_token_that_is_bound_to_no_pod_writes_nothing(agents, agent, arena, tmp_path):
    loose = tmp_path / "loose"
    loose.write_text(token_of(agents, NAMESPACE, ACCOUNT))
    server = Server(url=agents.server, authority=agents.ca_file, token=loose)

    answer = written(server, arena.nodes[0], spec=MEASURED)

    assert answer.code == 403
    assert "an agent needs a token that is bound to its pod" in answer.message


def test_agent_reads_bids_and_nothing_else(agents, agent, arena):
    own = arena.nodes[0]
    written(agent, own, spec=MEASURED)
    query = {"fieldSelector": f"metadata.name={own}", "resourceVersion": "0", "timeoutSeconds": "1"}

    answer, event, *_ = watching(agent, BIDS, query)

    assert (answer.code, event["object"]["metadata"]["name"]) == (200, own)
    for path in ("/api/v1/pods", "/api/v1/nodes", "/api/v1/secrets", "/apis/lockstep.dev/v1alpha1/gangjobs"):
        [refused] = watching(agent, path, {})
        assert refused.code == 403


def test_others_are_not_confined(agents, arena):
    [node] = arena.add_nodes(1)
    bid = {"apiVersion": "lockstep.dev/v1alpha1", "kind": "NodeBid", "metadata": {"name": node}, "spec": {"slots": 2}}

    arena.create(bid)

    assert agents.request("GET", f"{BIDS}/{node}")["spec"] == {"slots": 2}
