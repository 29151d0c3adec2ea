"""Small random nodes and jobs for pieces: rationals, many ties, idle nodes, windows, slots and slow-downs by count."""

import math
from fractions import Fraction

from coschedule.problems.node import Node
from engine.brute.pieces import Job, Offer


def random_offer(rnd):
    start = Fraction(rnd.choice([0, 0, 0, 1, rnd.randint(0, 9)]), rnd.choice([1, 2]))
    slowdowns = sorted(Fraction(rnd.randint(1, 6), rnd.choice([1, 2, 3])) for _ in range(rnd.randint(1, 4)))
    if rnd.random() < 0.5:
        slowdowns = [slowdowns[0]] * rnd.randint(1, 5)
    return Offer(start, tuple(slowdowns), rnd.choice([None, None, Fraction(rnd.randint(1, 40), 2)]))


def random_job(rnd):
    return Job(
        pieces=rnd.randint(1, 7),
        seconds=Fraction(rnd.randint(1, 4), rnd.choice([1, 3])),
        per_member=rnd.choice([Fraction(0), Fraction(0), Fraction(1, 2), Fraction(2), Fraction(5)]),
        fixed=rnd.choice([Fraction(0), Fraction(1, 3)]),
    )


def as_node(offer):
    until = math.inf if offer.until is None else offer.until
    if len(set(offer.slowdowns)) > 1:
        return Node(start=offer.start, slowdowns=offer.slowdowns, until=until)
    return Node(
        start=offer.start, duty_cycle=offer.slowdowns[0] * 9 - 1, capacity=9, slots=len(offer.slowdowns), until=until
    )
