"""The agent learns from its bid's status whose pods run on the node."""

import pytest

from lockstep.agent.bid.clock import Clock
from lockstep.agent.bid.connection import RawAnswer
from lockstep.agent.bid.own_bid import OwnBid
from lockstep.api.nodebid.offer import PlannedOnNode

PLANNED = {"memberUids": ["a", "b"], "othersRequest": "1500m"}


class UntilNoneIsLeft:
    """Says stop once all watches have been asked for, and never waits."""

    def __init__(self, left):
        self.left = left

    def is_set(self):
        return not self.left

    def wait(self, seconds):
        """Return at once."""


def followed(*watches, clock=None):
    """An agent's bid after these watches, and what it asked for each."""
    left, asked = [*watches], []

    def watch(path, query):
        asked.append((path, query))
        yield from left.pop(0)

    bid = OwnBid("n1", watch, clock or Clock(), UntilNoneIsLeft(left))
    bid.follow()
    return bid, asked


def event(kind, **status):
    return {"type": kind, "object": {"metadata": {"name": "n1"}, "status": status}}


def test_agent_learns_whose_pods_are_members_and_what_others_request():
    bid, [(path, query)] = followed([RawAnswer(200, {}), event("ADDED", planned=PLANNED)])

    assert bid.planned == PlannedOnNode(frozenset({"a", "b"}), 1.5)
    assert path == "/apis/lockstep.dev/v1alpha1/nodebids"
    assert query["fieldSelector"] == "metadata.name=n1"


def test_clock_has_heard_the_servers_time_before_anything_is_measured():
    clock = Clock(steady=lambda: 0.0, own=lambda: 0.0)

    followed([RawAnswer(200, {}, wall=1_800_000_000.0), event("ADDED", planned=PLANNED)], clock=clock)

    assert clock.wall() == 1_800_000_000.0


@pytest.mark.parametrize(
    "events",
    [
        pytest.param([event("BOOKMARK")], id="a bookmark"),
        pytest.param([event("DELETED", planned={"memberUids": []})], id="a deletion"),
        pytest.param([event("MODIFIED")], id="a bid made anew"),
        pytest.param([{"type": "ERROR", "object": {"code": 410}}], id="an error"),
        pytest.param([RawAnswer(0, {"message": "cut off"})], id="a connection that breaks"),
        pytest.param([{}], id="nothing at all"),
    ],
)
def test_what_the_operator_said_before_stands(events):
    bid, _ = followed([event("ADDED", planned=PLANNED), *events])

    assert bid.planned == PlannedOnNode(frozenset({"a", "b"}), 1.5)


@pytest.mark.parametrize("text", [None, "", "much", "-5m", "1e9"])
def test_request_that_is_no_number_counts_as_none(text):
    bid, _ = followed([event("ADDED", planned={"state": "Offered", "othersRequest": text})])

    assert bid.planned == PlannedOnNode(frozenset(), 0.0)


def test_trouble_is_logged_once_and_that_it_is_over(caplog):
    caplog.set_level("INFO")
    trouble = [RawAnswer(403, {"message": "no"})]

    followed(trouble, [RawAnswer(200, {}), event("ADDED", planned=PLANNED)])

    assert caplog.messages == [
        "the node's own bid can't be watched: no",
        "this problem is solved: the node's own bid can't be watched",
    ]
