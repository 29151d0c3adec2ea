"""Pods that come later, on a real control plane: room is kept for them, and they keep apart from those that run."""

import pytest

from builders.manifests import POOL_LABEL, gang
from eventually import eventually

HOST = "kubernetes.io/hostname"

pytestmark = pytest.mark.usefixtures("operator")


def later(arena, pods):
    """What the spec of a Gang says of pods that come later, for the arena's nodes."""
    return [{"pods": pods, "resources": {"requests": {"cpu": "1"}}, "nodeSelector": {POOL_LABEL: arena.pool}}]


@pytest.mark.search("gangs of pods that the next process goes on with")
def test_next_process_keeps_the_room_from_when_the_gang_has_begun(arena, gangs, operator):
    arena.add_nodes(3, cpu="1")
    gangs.submit("heat", 1, later=later(arena, 2))
    gangs.create_pods("heat", "a")
    gangs.until("heat", "Placed")
    begun = gangs.status("heat")["activeSince"]
    operator.kill()
    arena.submit(gang("cold", size=1))
    operator.start()
    eventually(lambda: "room for later pods of" in arena.condition("cold", "Planned").get("message", ""))
    gangs.create_pods("heat", "b")
    eventually(
        lambda: (
            "It expects 1 more, and Lockstep keeps nodes free" in gangs.condition("heat", "Planned").get("message", "")
        )
    )
    gangs.create_pods("heat", "c")

    eventually(lambda: gangs.bound("heat") == 3)
    assert gangs.status("heat")["activeSince"] == begun
    assert arena.nodes_of("cold") == []


def test_later_pod_has_a_domain_of_its_own_also_after_the_gang_was_made_anew(arena, gangs):
    labels = [{HOST: f"{arena.pool}-{number}"} for number in range(2)]
    arena.add_nodes(1, cpu="4", labels=labels[0])
    gangs.submit("heat", 1, placement={"onePer": HOST})
    gangs.create_pods("heat", "a")
    gangs.until("heat", "Placed")
    gangs.delete("heat")
    eventually(lambda: not gangs.exists("heat"))
    gangs.submit("heat", 1, placement={"onePer": HOST})
    gangs.create_pods("heat", "b")
    eventually(lambda: "another pod of its Gang" in gangs.condition("heat", "Planned").get("message", ""))
    [other] = arena.add_nodes(1, cpu="4", labels=labels[1])

    eventually(lambda: gangs.bound("heat") == 2)
    assert gangs.pods("heat")[1]["spec"]["nodeName"] == other


def test_more_later_pods_than_a_gang_may_have_are_refused_with_a_sentence(arena, gangs):
    gangs.submit("heat", 2, 3, later=later(arena, 2))
    gangs.create_pods("heat", "a", "b")

    eventually(
        lambda: "4 pods together, but at most 3 are allowed" in gangs.condition("heat", "Accepted").get("message", "")
    )
    assert gangs.bound("heat") == 0
