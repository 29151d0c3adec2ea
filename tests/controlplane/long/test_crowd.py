"""Ninety GangJobs at once, a tenth of them nonsense; ``make load`` submits ten thousand."""

from eventually import eventually
from live.crowd import Asker, Crowd

GANGS = 90
PATIENCE_SECONDS = 120


def test_crowd_with_nonsense_in_it_is_placed_and_marked_while_the_pages_answer(operator, arena):
    arena.add_nodes(8, cpu="32")
    crowd = Crowd(arena.api, arena.namespace, GANGS, pool=arena.pool)

    with Asker(operator) as asker:
        crowd.submit()
        eventually(crowd.is_over, seconds=PATIENCE_SECONDS)

    assert asker.pages.wrong == []
    assert operator.metrics()['lockstep_cycles_total{result="error"}'] == 0
