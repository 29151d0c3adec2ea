"""Gangs that keep places at random."""

from dataclasses import replace

from coschedule.queue.problem.gangs import Kept, Seat
from engine.builders import NOW, gang, node, release, snapshot

NODES = 5


def random_facts(rnd):
    """Describe gangs that keep places at random, so that there is room for some of them only."""
    nodes = [
        node(
            f"n{number}",
            free=(rnd.choice([-1, 0, 1, 2, 3]), rnd.choice([-2, 4])),
            until=rnd.choice([float("inf"), float("inf"), NOW + 40]),
            ready=rnd.random() < 0.9,
        )
        for number in range(NODES)
    ]
    releases = [release(rnd.randrange(NODES), NOW + rnd.randint(1, 40), 1, 1) for _ in range(6)]
    gangs = [random_gang(rnd, number) for number in range(8)]
    return snapshot(nodes, gangs, releases=releases, resources=("cpu", "memory"))


def random_gang(rnd, number):
    """Describe a gang that keeps a place somewhere, some time."""
    start = NOW + rnd.choice([-5, 0, 5, 10, 20, 30])
    chosen = sorted(rnd.sample(range(NODES), rnd.randint(1, 3)))
    seats = tuple(Seat(index, rnd.randint(1, 2)) for index in chosen)
    one = gang(
        f"g{number}",
        size=sum(seat.members for seat in seats),
        times=[20] * 6,
        request=(1, rnd.choice([0, 0, 1])),
        created=float(number),
    )
    return replace(one, kept=Kept(start=start, finish=start + rnd.choice([5, 20]), seats=(seats,)))
