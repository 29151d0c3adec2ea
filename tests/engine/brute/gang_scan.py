"""Pieces on a gang of nodes by looking at every start, number of nodes and load, for more nodes than have all spreads.

Whole numbers only: times are ints, and every node has the slow-down of each count.
"""

import numpy as np


def scan_gang(offers, job):
    """Return the least (finish, nodes used, start), None when there is none."""
    loads = sorted({count * slowdown for offer in offers for count, slowdown in enumerate(offer.slowdowns, 1)})
    room = np.array([[count_within(offer, load) for offer in offers] for load in loads])
    start = np.array([offer.start for offer in offers])
    until = np.array([np.inf if offer.until is None else offer.until for offer in offers])
    outcomes = []
    for begin in sorted(set(start.tolist())):
        for size in range(1, min(len(offers), job.pieces) + 1):
            finish = begin + np.array(loads) * job.seconds + job.fixed + job.per_member * size
            usable = room * ((start <= begin) & (until >= finish[:, None]))
            enough = np.sort(usable, axis=1)[:, -size:].sum(axis=1) >= job.pieces
            outcomes += [(int(finish[enough.argmax()]), size, begin)] if enough.any() else []
    return min(outcomes, default=None)


def count_within(offer, load):
    """Return the largest count that is done within ``load``."""
    return max((count for count, slowdown in enumerate(offer.slowdowns, 1) if count * slowdown <= load), default=0)
