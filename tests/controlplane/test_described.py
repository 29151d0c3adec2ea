"""What `kubectl describe` shows of gangs and bids: a person reads the events there, and the conditions."""

import pytest

from builders.manifests import bid, gang
from eventually import eventually

pytestmark = pytest.mark.usefixtures("operator")


def described(arena, kind, name):
    """What kubectl says of an object."""
    return arena.api.kubectl("describe", kind, name, f"--namespace={arena.namespace}")


def until_event(arena, name, reason, note):
    """Wait until the events of a gang have such a line; returns it without needless spaces."""

    def probe():
        _, _, events = described(arena, "gangjob", name).partition("\nEvents:")
        lines = [" ".join(line.split()) for line in events.splitlines()]
        found = [line for line in lines if f" {reason} " in line and note in line]
        assert found, events
        return found[0]

    return eventually(probe)


def test_lost_member_is_an_event_that_says_so(arena):
    arena.add_nodes(1)
    arena.submit(gang("heat", size=3))
    arena.until_placed("heat")

    arena.delete_pod("heat-1-1")

    assert until_event(arena, "heat", "PodLost", "Pod heat-1-1 ").startswith("Warning PodLost ")


def test_member_that_its_node_rejects_is_an_event_that_says_why(arena):
    arena.add_nodes(1)
    arena.submit(gang("heat"))
    arena.until_placed("heat")

    arena.patch_pod_status("heat-1-0", {"phase": "Failed", "reason": "OutOfcpu", "message": "Node had no CPU left"})

    assert until_event(arena, "heat", "PodRejected", "OutOfcpu: Node had no CPU left").startswith(
        "Warning PodRejected "
    )


def test_quota_that_is_too_small_is_named_in_an_event(arena):
    arena.add_nodes(2)
    arena.create_quota("small", pods="3")

    arena.submit(gang("heat", size=4))

    said = until_event(arena, "heat", "GangUnplaceable", "quota small allows 3")
    assert "It needs 4 members, which take 4 of pods" in said


def test_duty_cycle_that_was_meant_as_a_percentage_is_reported_in_the_description_of_the_bid(arena):
    [node] = arena.add_nodes(1)

    arena.create(bid(node, dutyCycle="25"))

    eventually(lambda: "write 250m for 25 %" in described(arena, "nodebid", node))
