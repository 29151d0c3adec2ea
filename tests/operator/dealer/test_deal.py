"""The dealer's decisions: whatever members ask, report and lose, each piece is settled at last by a known member."""

from itertools import product
from random import Random

import pytest

from lockstep.dealer.deal import FIRST_RANK, Deal, Dealt, Later, Over
from lockstep.facts.piece_states import PieceState, counted

STEPS = [*product(("ask", "do", "fail", "vanish"), (0, 1)), ("leave", 1), ("restart", 0)]


class Run:
    """Members of a deal, each with the pieces that it has in hand; ``settled`` has what was ever reported."""

    def __init__(self, pieces):
        self.deal, self.now, self.pieces = Deal(bytearray(pieces)), 0.0, pieces
        self.hands, self.settled, self.dealt = {}, set(), set()

    def ask(self, member):
        answer = self.deal.next(member, self.now)
        if isinstance(answer, Dealt):
            assert not self.settled & {*answer.pieces}, "a piece that is settled was dealt again"
            assert answer.pieces, "an empty chunk was dealt"
            self.hands[member] = list(answer.pieces)
            self.dealt |= {*answer.pieces}
        return answer

    def report(self, member, *, fails=False):
        hand = self.hands.pop(member, [])
        self.deal.report(member, self.now, **{"failed" if fails else "done": hand})
        self.settled |= {*hand}

    def take(self, step):
        what, member = step
        self.now += 1.0
        if what == "ask":
            self.ask(member)
        elif what in ("vanish", "leave"):
            self.hands.pop(member, None)
            if what == "leave" and member != FIRST_RANK:
                self.deal.keep_only(lambda one: one != member)
        elif what == "restart":
            self.deal = Deal(bytearray(PieceState.DONE if one in self.settled else 0 for one in range(self.pieces)))
        else:
            self.report(member, fails=what == "fail")

    def finish(self, member):
        """One member goes on alone; the time that it waits passes."""
        for _ in range(20 * self.pieces + 200):
            answer = self.ask(member)
            if isinstance(answer, Over):
                return
            self.now += answer.seconds if isinstance(answer, Later) else 0.5
            self.report(member)
        raise AssertionError(f"member {member} never ended")


def test_every_piece_is_settled_in_the_end_after_any_few_steps():
    for steps in product(STEPS, repeat=4):
        run = Run(3)
        for step in steps:
            run.take(step)
        run.finish(1)
        run.finish(0)

        assert run.settled == {0, 1, 2}, steps
        assert run.deal.is_over


@pytest.mark.parametrize("seed", range(60))
def test_every_piece_is_settled_in_the_end_after_a_long_walk(seed):
    random = Random(seed)  # noqa: S311 - no secret
    run = Run(random.randrange(1, 60))
    members = range(random.randrange(1, 6))
    for _ in range(random.randrange(120)):
        run.take(
            (random.choice(["ask", "do", "do", "do", "fail", "vanish", "leave", "restart"]), random.choice(members))
        )
        run.now += random.expovariate(0.3)
    for member in reversed(members):
        run.finish(member)

    assert run.settled == {*range(run.pieces)}
    assert counted(run.deal.bits).settled == run.pieces


def test_no_piece_has_two_members_while_all_report_in_time():
    deal, held = Deal(bytearray(200)), set()
    for turn in range(400):
        member = turn % 4
        answer = deal.next(member, float(turn))
        if isinstance(answer, Dealt):
            assert not held & {*answer.pieces}
            held |= {*answer.pieces}
            deal.report(member, turn + 0.5, done=answer.pieces)

    assert held == {*range(200)}


def test_member_that_asks_again_gets_what_it_has():
    deal = Deal(bytearray(5))

    assert deal.next(3, 0.0) == deal.next(3, 1.0) == Dealt((0,))


def test_faster_member_gets_more_and_the_last_pieces_are_dealt_singly():
    deal = Deal(bytearray(1000))
    for member, seconds in ((0, 0.1), (1, 0.4)):
        sizes = chunk_sizes(deal, member, seconds, at_most=7)
        assert sizes[:5] == [1, 2, 4, 8, 16], "few pieces show no speed"
    fast, slow = (len(deal.next(member, 100.0).pieces) for member in (0, 1))

    assert 2 * slow < fast <= 100, "a chunk takes ten seconds at most"

    assert chunk_sizes(deal, 2, 0.01, at_most=200)[-1] == 1


def chunk_sizes(deal, member, seconds, at_most):
    """What a member gets that does each piece in so many seconds."""
    now, sizes = 0.0, []
    while len(sizes) < at_most and isinstance(answer := deal.next(member, now), Dealt):
        sizes.append(len(answer.pieces))
        now += seconds * len(answer.pieces)
        deal.report(member, now, done=answer.pieces)
    return sizes


def test_piece_of_a_silent_member_goes_to_one_that_waits():
    deal = Deal(bytearray(2))
    assert (deal.next(0, 0.0), deal.next(1, 0.0)) == (Dealt((0,)), Dealt((1,)))
    deal.report(0, 4.0, done=[0])

    assert isinstance(deal.next(0, 11.0), Later), "it may still be at work: three times what the other took"
    assert deal.next(0, 13.0) == Dealt((1,))


def test_pieces_of_a_member_that_has_left_are_dealt_first_and_at_once():
    deal = Deal(bytearray(9))
    assert [deal.next(rank, 0.0) for rank in range(3)] == [Dealt((0,)), Dealt((1,)), Dealt((2,))]
    deal.report(0, 1.0, done=[0])

    deal.keep_only({0, 2}.__contains__)

    assert deal.next(0, 1.0).pieces[0] == 1


def test_member_that_has_left_may_still_report_what_it_has_done():
    deal = Deal(bytearray(2))
    assert deal.next(1, 0.0) == Dealt((0,))

    deal.keep_only({0}.__contains__)
    deal.report(1, 1.0, done=[0])

    assert deal.next(0, 2.0) == Dealt((1,))


def test_piece_that_another_member_has_too_is_not_dealt_again_if_one_of_them_leaves():
    deal = Deal(bytearray(2))
    deal.next(0, 0.0), deal.next(1, 0.0)
    deal.report(0, 1.0, done=[0])
    assert deal.next(0, 100.0) == Dealt((1,)), "the other one is silent"

    deal.keep_only({0, 2}.__contains__)

    assert isinstance(deal.next(2, 101.0), Later)


def test_next_member_of_a_rank_that_has_left_begins_anew():
    deal = Deal(bytearray(1000))
    for rank, seconds in ((0, 1.0), (1, 0.01)):
        deal.report(rank, seconds, done=deal.next(rank, 0.0).pieces)
    assert len(deal.next(1, 1.0).pieces) > 1

    deal.keep_only({0}.__contains__)

    assert len(deal.next(1, 2.0).pieces) == 1, "the speed of another node is not known"


def test_first_rank_does_not_wait_for_members_that_have_left():
    deal = Deal(bytearray(1))
    deal.next(1, 0.0)
    deal.report(0, 1.0, done=[0])
    assert isinstance(deal.next(0, 1.0), Later)

    deal.keep_only({0}.__contains__)

    assert deal.next(0, 2.0) == Over()


def test_first_rank_leaves_last():
    deal = Deal(bytearray(1))
    deal.next(1, 0.0)
    assert isinstance(deal.next(0, 0.0), Later)
    deal.report(1, 1.0, done=[0])

    assert isinstance(deal.next(0, 1.0), Later)
    assert deal.next(1, 2.0) == Over()
    assert deal.next(0, 2.0) == Over()


def test_first_rank_does_not_wait_for_ever():
    deal = Deal(bytearray(1))
    deal.next(1, 0.0)
    deal.report(0, 1.0, done=[0])

    assert isinstance(deal.next(0, 1.0), Later)
    assert deal.next(0, 61.0) == Over()


def test_piece_that_was_done_in_any_try_is_done():
    deal = Deal(bytearray(2))
    deal.report(0, 1.0, failed=[0, 1])
    deal.report(1, 2.0, done=[0])
    deal.report(1, 2.0, failed=[0])

    assert counted(deal.bits).done == 1
    assert counted(deal.bits).first_failed == (1,)


def test_number_that_no_piece_has_is_refused():
    with pytest.raises(ValueError, match="piece 5 is not one of 0 to 4"):
        Deal(bytearray(5)).check([4, 5])
