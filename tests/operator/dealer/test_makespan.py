"""How soon members of unknown speeds end, beside the bound: total work over total speed."""

from heapq import heapify, heappop, heappush
from random import Random

import pytest

from lockstep.dealer.deal import FIRST_RANK, Deal, Dealt, Later

MEMBERS, PIECES = 12, 600


def dealt_time(lengths, speeds):
    """The time at which the last piece is done, with the real dealer and a clock of the test."""
    deal, ends = Deal(bytearray(len(lengths))), 0.0
    due = [(0.0, member, ()) for member in range(len(speeds))]
    heapify(due)
    while due:
        now, member, done = heappop(due)
        ends = max(ends, now) if done else ends
        deal.report(member, now, done=done)
        answer = deal.next(member, now)
        if isinstance(answer, Dealt):
            took = sum(lengths[piece] for piece in answer.pieces) / speeds[member]
            heappush(due, (now + took, member, answer.pieces))
        elif isinstance(answer, Later) and member != FIRST_RANK:
            heappush(due, (now + answer.seconds, member, ()))
    return ends


@pytest.mark.parametrize("seed", range(20))
def test_pieces_of_very_different_lengths_end_close_to_the_bound_on_nodes_of_very_different_speeds(seed):
    random = Random(seed)  # noqa: S311 - no secret
    lengths = [random.uniform(0.05, 0.95) for _ in range(240)]
    speeds = [2 / 3, 2.0] * 3

    assert dealt_time(lengths, speeds) < 1.15 * sum(lengths) / sum(speeds)


@pytest.mark.parametrize("seed", range(10))
def test_dealt_pieces_end_close_to_the_bound_where_bids_are_off(seed):
    random = Random(seed)  # noqa: S311 - no secret
    lengths = [random.uniform(0.5, 1.5) for _ in range(PIECES)]
    speeds = [1 + random.uniform(-0.3, 0.3) for _ in range(MEMBERS)]
    bound = sum(lengths) / sum(speeds)
    part = PIECES // MEMBERS
    beforehand = max(sum(lengths[part * n : part * (n + 1)]) / speed for n, speed in enumerate(speeds))

    dealt = dealt_time(lengths, speeds)

    assert bound <= dealt < 1.06 * bound
    assert beforehand > 1.1 * dealt
