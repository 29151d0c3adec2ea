"""Whose end a gang waits for: beside the straightforward way, which asks all gangs that use each of its nodes."""

import pytest

from builders.scene import busy
from coschedule import Placement
from lockstep.cycle.explaining.start_estimates import StartEstimates
from lockstep.facts.gang.start_estimate import SAME_TIME_SECONDS
from lockstep.snapshot.holders.endings import expected_end

NOW = 100_000.0


def last_to_end(state, decided, placement):
    """The gang that ends last of all that use any of a placement's nodes until its start, and the slots it frees."""
    held = [(expected_end(state, one, NOW), one.gang, one.members) for one in state.reservations.values()]
    later = [one for one in decided.plan.decisions if isinstance(one, Placement) and not decided.is_due(one)]
    uses = [
        (end, gang, entry.node)
        for end, gang, members in [*held, *((one.finish, one.gang, one.members) for one in later)]
        for entry in members
        if end is not None and gang != placement.gang and NOW < end <= placement.start + SAME_TIME_SECONDS
    ]
    own = {entry.node for entry in placement.members}
    end, gang = max(((end, gang) for end, gang, node in uses if node in own), default=(None, None))
    return gang, sum(it.count for it in placement.members if (end, gang, it.node) in uses)


@pytest.mark.parametrize("seed", range(4))
def test_gang_waits_for_the_last_that_gives_one_of_its_nodes_back(seed):
    scene = busy(NOW, nodes=25, gangs=50, seed=seed)
    estimates, seen = StartEstimates(scene.state, scene.decided), set()
    for one in scene.decided.plan.decisions:
        if isinstance(one, Placement) and not scene.decided.is_due(one):
            gang, slots = last_to_end(scene.state, scene.decided, one)

            sentence = estimates.of(scene.state.gangs[one.gang], one).waits_for

            assert (f"held by {gang.namespace}/{gang.name} until" in sentence) if gang else ("held by" not in sentence)
            assert gang is None or sentence.startswith(f"{slots} slot")
            seen.add(gang is None)
    assert False in seen
