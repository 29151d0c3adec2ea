"""What other numbers of nodes would have given pieces, and which nodes limit a gang."""

import pytest

from coschedule.model.errors import InvalidValueError
from coschedule.problems.al_saqabi.gang_pieces import GangPieces, place_pieces
from coschedule.problems.al_saqabi.offer_refusals import NoRoom
from coschedule.problems.al_saqabi.offers import PiecesJob
from coschedule.problems.al_saqabi.why import why_pieces
from coschedule.problems.node import Node
from engine.brute.pieces import gang_outcome, gang_outcomes
from engine.builders import as_node, random_job, random_offer, seeded

WAITING = [Node(slots=9), Node(slots=9), Node(slots=9), Node(slots=9, start=7)]


def explained(nodes, pieces, **times):
    job = PiecesJob(pieces=pieces, seconds_per_piece=1, **times)
    gang = place_pieces(nodes, job)
    return gang, why_pieces(gang, nodes, job)


def test_one_node_more_would_have_waited():
    gang, reasons = explained(WAITING, 9)

    assert (gang.size, gang.finish) == (3, 3)
    assert (reasons.one_more.size, reasons.one_more.start, reasons.one_more.finish) == (4, 7, 10)
    assert (reasons.one_fewer.size, reasons.one_fewer.finish) == (2, 5)
    assert reasons.runner_up.finish == 5


def test_every_node_of_a_larger_gang_has_a_piece():
    """Two nodes are as good as three here, and cost less."""
    gang, reasons = explained([Node(slots=4)] * 3, 4, per_member=1)

    assert gang.counts.tolist() == [2, 2, 0]
    assert (reasons.one_more.counts.tolist(), reasons.one_more.finish) == ([2, 1, 1], 5)


@pytest.mark.parametrize(
    ("nodes", "pieces", "want"),
    [
        pytest.param([Node(slots=3)], 3, (None, None, None), id="the only node"),
        pytest.param([Node(slots=3)] * 2, 1, (None, None, None), id="no node more than pieces"),
        pytest.param([Node(slots=3)] * 2, 5, (None, None, None), id="slots for no fewer"),
        pytest.param([Node(slots=9)] * 2, 4, (1, None, 1), id="no more nodes"),
        pytest.param(
            [Node(slots=9), Node(slots=9, until=0)], 4, (None, None, None), id="another is taken back too soon"
        ),
    ],
)
def test_sizes_out_of_reach_are_none(nodes, pieces, want):
    _, reasons = explained(nodes, pieces)

    sizes = tuple(gang and gang.size for gang in (reasons.one_fewer, reasons.one_more, reasons.runner_up))
    assert sizes == want


@pytest.mark.parametrize("seed", range(4))
def test_other_sizes_equal_exhaustive_search(seed):
    rnd = seeded(seed)
    for _ in range(80):
        offers, job = [random_offer(rnd) for _ in range(rnd.randint(1, 3))], random_job(rnd)
        nodes, asked = (
            [as_node(offer) for offer in offers],
            PiecesJob(pieces=job.pieces, seconds_per_piece=job.seconds, per_member=job.per_member, fixed=job.fixed),
        )
        gang = place_pieces(nodes, asked)
        if isinstance(gang, NoRoom):
            continue

        reasons = why_pieces(gang, nodes, asked)

        others = {outcome for outcome in gang_outcomes(offers, job) if outcome[1] != gang.size}
        for found, sizes in (
            (reasons.runner_up, range(9)),
            (reasons.one_fewer, [gang.size - 1]),
            (reasons.one_more, [gang.size + 1]),
        ):
            want = min((outcome for outcome in others if outcome[1] in sizes), default=None)
            assert (found and (found.finish, found.size, found.start)) == want, (offers, job)
            assert found is None or gang_outcome(offers, job, found.counts.tolist()) == want


def test_a_gang_names_the_nodes_that_limit_it():
    nodes = [Node(slots=2), Node(slots=2, start=2), Node(slots=3), Node(slots=2, start=2), Node(slots=1, duty_cycle=2)]

    gang = place_pieces(nodes, PiecesJob(pieces=10, seconds_per_piece=1))

    assert isinstance(gang, GangPieces)
    assert gang.counts.tolist() == [2, 2, 3, 2, 1]
    assert (gang.latest, gang.slowest) == (1, 2)


def test_the_slowest_node_may_be_slow_because_of_how_many_it_holds():
    nodes = [Node(duty_cycle=2), Node(slowdowns=(1, 1, 2))]

    assert place_pieces(nodes, PiecesJob(pieces=3, seconds_per_piece=1)).slowest == 0
    assert place_pieces(nodes, PiecesJob(pieces=4, seconds_per_piece=1)).slowest == 1


def test_a_gang_of_no_nodes_is_refused():
    with pytest.raises(InvalidValueError, match="fewest"):
        place_pieces(WAITING, PiecesJob(pieces=1, seconds_per_piece=1), fewest=0)
