"""[A]: the speed-ups of section 2, the example of section 3.3, and two rules that fail."""

from collections.abc import Iterator
from fractions import Fraction

from coschedule import Goal, Node, SerialWork, choose_equal
from lockstep.papers.row import Paper, PaperRow, as_any, decimal, erratum, exact

# (minutes until the start, duty cycle, members, as printed, erratum); the serial time is 600 minutes.
_GROUPS = (
    (5, "0", 60, "40", ""),
    (14, "0", 100, "30", ""),
    (5, "0.2", 60, "35.3", ""),
    (14, "0.7", 100, "24.8", ""),
    (5, "0.6", 60, "20.5", "600/21 is 28.6 (errata, [A] 2)"),
    (14, "0.1", 100, "20.9", "600/20.6 is 29.1 (errata, [A] 2)"),
)
# Start and duty cycle of W1 to W5.
_NODES_3_3 = ((6, "0.6"), (7, "0.5"), (4, "0.7"), (12, "0.3"), (0, "0.1"))


def rows() -> Iterator[PaperRow]:
    """All rows of the paper, in its order."""
    yield from _section_2()
    yield _lower_bound_on_size()
    yield _ties()
    yield from _section_3_3()


def _nodes(*bids: tuple[int, str]) -> list[Node]:
    return [Node(start=start, duty_cycle=Fraction(duty)) for start, duty in bids]


def _section_2() -> Iterator[PaperRow]:
    for start, duty, members, printed, wrong in _GROUPS:
        what = f"speed-up of {members} nodes after {start} min, duty cycle {duty}"
        found = as_any(
            choose_equal(
                _nodes((start, duty)) * members, SerialWork(serial=600), Goal(minimum=members, maximum=members)
            )
        )
        row = erratum if wrong else exact
        yield row(Paper.ATALLAH, "2", what, printed, decimal(found.speedup, 1), wrong)


def _lower_bound_on_size() -> PaperRow:
    """The printed rule, P_low from the average duty cycle, allows no size: (1 + 5)·10/2 is above the deadline of 12."""
    found = as_any(
        choose_equal(
            _nodes((0, "0"), (0, "10")), SerialWork(serial=10), Goal(minimum=1, maximum=2, deadline=Fraction(12))
        )
    )
    what = "members that meet a deadline of 12, duty cycles 0 and 10, T(1) = 10"
    wrong = "P_low from the average duty cycle allows no size (erratum 2)"
    return erratum(Paper.ATALLAH, "2", what, "none", str(found.size), wrong)


def _ties() -> PaperRow:
    """By the printed lists, two idle nodes never form a gang: only earlier nodes may join a node."""
    found = as_any(choose_equal(_nodes((0, "0"), (0, "0")), SerialWork(serial=10), Goal(minimum=1, maximum=2)))
    what = "finish on two idle nodes, T(1) = 10"
    return erratum(Paper.ATALLAH, "3.2", what, "10", str(found.finish), "Lemma 1 loses all ties (erratum 1)")


def _section_3_3() -> Iterator[PaperRow]:
    """Yield Best_{2,P} for any T(1): the best groups of P nodes in which W2 is the last to start.

    Our formulas follow from the ends for two values of T(1).
    """
    for members, printed in ((1, "1.5"), (2, "0.75"), (3, "0.53"), (4, "0.425")):
        what = f"earliest finish of {members} nodes, with W2 as the last to start"
        digits = len(printed.partition(".")[2])
        yield exact(Paper.ATALLAH, "3.3", what, f"7 + {printed} T(1)", _end_of(members, digits))
    found = as_any(
        choose_equal(_nodes(*_NODES_3_3[:3], _NODES_3_3[4]), SerialWork(serial=40), Goal(minimum=1, maximum=4))
    )
    names = (1, 2, 3, 5)
    group = ", ".join(f"W{names[index]}" for index in found.members)
    yield exact(Paper.ATALLAH, "3.3", "the best of these groups, T(1) = 40", "W1, W2, W3, W5", group)


def _end_of(members: int, digits: int) -> str:
    """Return the end of the best group of ``members`` nodes, as "start + slope T(1)".

    In this group, W2 is the last to start, at 7.
    """
    early = sorted((bid for bid in _NODES_3_3 if bid[0] < 7), key=lambda bid: Fraction(bid[1]))
    group, goal = [_NODES_3_3[1], *early[: members - 1]], Goal(minimum=members, maximum=members)
    after_100, after_200 = (
        Fraction(as_any(choose_equal(_nodes(*group), SerialWork(serial=serial), goal)).finish) for serial in (100, 200)
    )
    slope = (after_200 - after_100) / 100
    return f"{after_100 - 100 * slope} + {decimal(slope, digits)} T(1)"
