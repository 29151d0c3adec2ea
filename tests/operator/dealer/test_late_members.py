"""Members that ask for their first pieces when all are settled: the first rank, and the dealer beside it, wait."""

from http import HTTPStatus

from lockstep.dealer.deal import FIRST_RANK, Deal, Dealt, Later, Over
from lockstep.dealer.requests import Dealing


def settled_by_the_first_rank(pieces=3, expected=(0, 1)):
    """A deal of which the first rank does everything, and the time then."""
    deal, now = Deal(bytearray(pieces)), 0.0
    deal.expect(expected)
    while not deal.is_over:
        answer = deal.next(FIRST_RANK, now)
        assert isinstance(answer, Dealt)
        now += 1.0
        deal.report(FIRST_RANK, now, done=answer.pieces)
    return deal, now


def test_first_rank_does_not_end_before_a_member_that_still_starts():
    deal, now = settled_by_the_first_rank()

    assert isinstance(deal.next(FIRST_RANK, now), Later), "the other one would find no dealer any more"
    assert deal.next(1, now + 30) == Over()
    assert deal.next(FIRST_RANK, now + 31) == Over()


def test_first_rank_does_not_wait_for_ever_for_a_member_that_never_asks():
    deal, now = settled_by_the_first_rank()

    assert isinstance(deal.next(FIRST_RANK, now), Later)
    assert deal.next(FIRST_RANK, now + 61) == Over()


def test_first_rank_does_not_wait_for_a_member_that_has_left_before_it_asked():
    deal, now = settled_by_the_first_rank()

    assert isinstance(deal.next(FIRST_RANK, now), Later)
    deal.expect([FIRST_RANK])
    assert deal.next(FIRST_RANK, now) == Over()


class NoJournal:
    """A journal that is never read."""

    def add(self, pieces, state):
        """Forget them."""


def test_operator_says_who_is_there():
    dealing = Dealing(Deal(bytearray(1)), NoJournal(), "key")
    dealing.states("0-1")
    dealing.next(b"rank=0")

    assert dealing.next(b"rank=0&done=0").status == HTTPStatus.SERVICE_UNAVAILABLE
    assert dealing.next(b"rank=1").status == HTTPStatus.NO_CONTENT
    assert dealing.next(b"rank=0").status == HTTPStatus.NO_CONTENT
