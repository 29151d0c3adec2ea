"""[C] 5.8.2: tables 5.1 to 5.4 of the share auction, action by action, and rules of figure 5.8 that fail."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from coschedule import (
    Arrive,
    AuctionRules,
    Depart,
    HoldAuction,
    Levels,
    Loaders,
    SetUnitTimes,
    divide_shares,
    replay,
)
from lockstep.papers.row import Paper, PaperRow, as_any, erratum, exact, listed

_Event = Arrive | Depart | HoldAuction | Loaders | SetUnitTimes

_LEVELS = (1, 3, 9)
_AUCTION = HoldAuction()
_PSI = "1.2"
_OTHER_PSI = "ψ = 1.05, as the note of the table allows; the text sets 1.2"


class _Line(NamedTuple):
    """A line of a table: its time, the events since the line before, and its text.

    The text is what the paper prints: the workstations of each application, and the actions that moved them.
    """

    seconds: int
    events: Sequence[_Event]
    printed: str


def rows() -> Iterator[PaperRow]:
    """All lines of the tables, and the errata."""
    yield from _table("5.1", 20, ("BMM1", "BMM2", "PSA1"), _TABLE_5_1, psi="1.05", note=_OTHER_PSI)
    yield _last_line_by_the_text()
    yield from _table("5.2", 20, ("BMM1", "BMM2", "PSA1"), _TABLE_5_2)
    yield from _table("5.3", 25, ("BMM1", "BMM2", "PSA1", "PSA2"), _TABLE_5_3)
    yield from _table("5.4", 12, ("PSA1", "CSN1"), _TABLE_5_4)
    yield _auctions_that_never_end()
    yield _small_bid()
    yield _newcomer_without_a_donor()


def _arrives(name: str, *unit_times: str, levels: tuple[int, ...] = _LEVELS) -> Arrive:
    return Arrive(name=name, levels=levels, unit_times=tuple(Fraction(time) for time in unit_times))


def _measures(name: str, *unit_times: str, also_known: tuple[int, ...] = ()) -> SetUnitTimes:
    return SetUnitTimes(name=name, unit_times=tuple(Fraction(time) for time in unit_times), also_known=also_known)


# Unit times are chosen so that they give the printed bids: backward bids BB and forward bids FB are their quotients.
_TABLE_5_1 = (
    _Line(60, (_arrives("BMM1", "8", "2.914", "1"),), "3, -, -"),
    _Line(100, (_AUCTION, _arrives("BMM2", "8", "3.020", "1")), "9, 3, -; action 1"),
    _Line(160, (_AUCTION, _arrives("PSA1", "2.865", "1", "0.5")), "9, 9, 1; action 1"),
    _Line(200, (_AUCTION,), "3, 9, 3; action 1"),
    _Line(240, (_measures("BMM1", "8", "3.010", "1"), _AUCTION), "9, 9, 1; action 2"),
)
_TABLE_5_2 = (
    _Line(
        60,
        (
            _arrives("BMM1", "3.213", "1", "0.4"),
            _arrives("BMM2", "8", "3.109", "1"),
            _arrives("PSA1", "8", "2.172", "1"),
        ),
        "3, 3, 3",
    ),
    _Line(100, (HoldAuction(order=("BMM2", "PSA1")),), "1, 9, 9; action 1, 1"),
    _Line(140, (_AUCTION,), "3, 9, 3; action 2"),
    _Line(260, (Depart(name="PSA1"), _AUCTION), "9, 9, -; action 3"),
)
_TABLE_5_3 = (
    _Line(60, (_arrives("BMM1", "8", "2.878", "1"),), "3, -, -, -"),
    _Line(100, (_AUCTION, _arrives("BMM2", "8", "3.205", "1")), "9, 3, -, -; action 1"),
    _Line(140, (_AUCTION, _arrives("PSA1", "8", "2.146", "1")), "9, 9, 3, -; action 1"),
    _Line(180, (_AUCTION,), "3, 9, 9, -; action 1"),
    _Line(220, (_measures("BMM1", "8", "2.907", "1"), _AUCTION), "9, 9, 3, -; action 2"),
    _Line(280, (_measures("BMM2", "8", "3.187", "1"), _arrives("PSA2", "8", "1.323", "1")), "9, 9, 3, 3"),
    _Line(320, (_AUCTION,), "3, 9, 3, 9; action 1"),
    _Line(360, (_AUCTION,), "9, 9, 3, 3; action 2"),
)
# CSN1 has no unit time to report at the first auction. By (5.8), bids are divided by the growth, which is 3 for both
# applications. The printed bids are not divided.
_TABLE_5_4 = (
    _Line(
        80,
        (Loaders(workstations=10), _arrives("PSA1", "3.171", "1", "0.5"), _arrives("CSN1", "3.301", "1", "0.5")),
        "1, 1",
    ),
    _Line(140, (Loaders(workstations=6), HoldAuction(exempt=("CSN1",))), "3, 1; action 1"),
    _Line(180, (_AUCTION,), "3, 3; action 1"),
    _Line(340, (Loaders(workstations=0), _AUCTION), "3, 9; action 3"),
)


def _table(
    number: str, total: int, names: Sequence[str], lines: Sequence[_Line], *, psi: str = _PSI, note: str = ""
) -> Iterator[PaperRow]:
    what = f"workstations of {listed(names)}"
    for line, ours in zip(lines, _replayed(total, names, lines, psi), strict=True):
        yield exact(Paper.SHUM, f"table {number}, {line.seconds} s", what, line.printed, ours, note=note)


def _replayed(total: int, names: Sequence[str], lines: Sequence[_Line], psi: str) -> Iterator[str]:
    """Yield the text of each line as the engine's auctions give it."""
    outcomes = iter(replay(_rules(total, psi), [event for line in lines for event in line.events]))
    for line in lines:
        here = [next(outcomes) for _ in line.events]
        held = listed(here[-1].allocation.get(name, "-") for name in names)
        actions = [int(move.kind) for outcome in here for move in outcome.moves]
        yield f"{held}; action {listed(actions)}" if actions else held


def _rules(total: int, psi: str = _PSI) -> AuctionRules:
    return AuctionRules(total=total, psi=Fraction(psi))


def moves_of_all_tables(psi: str) -> int:
    """Return the number of moves in all auctions of the tables, with this ψ."""
    tables = ((20, _TABLE_5_1), (20, _TABLE_5_2), (25, _TABLE_5_3), (12, _TABLE_5_4))
    return sum(
        len(outcome.moves)
        for total, lines in tables
        for outcome in replay(_rules(total, psi), [event for line in lines for event in line.events])
    )


def _last_line_by_the_text() -> PaperRow:
    names, lines = ("BMM1", "BMM2", "PSA1"), _TABLE_5_1
    *_, ours = _replayed(20, names, lines, _PSI)
    wrong = "ψ = 1.2 of 5.8.1 forbids it: FB/BB is 1.05 (erratum 8a)"
    what = f"workstations of {listed(names)}, ψ = 1.2"
    return erratum(Paper.SHUM, "table 5.1, 240 s", what, lines[-1].printed, ours, wrong)


def _auctions_that_never_end() -> PaperRow:
    """By the printed rules, an application goes up and back for ever.

    It has the unit time 1 on one workstation and 2 on three. Three workstations are free.
    """
    events: list[_Event] = [_arrives("A", "1", "2", levels=(1, 3)), *[_AUCTION] * 13]
    moves = sum(len(outcome.moves) for outcome in replay(_rules(3), events))
    what = "moves in 13 auctions, three workstations slower than one"
    wrong = "without FB > 1 it goes up and back for ever (erratum 8c)"
    return erratum(Paper.SHUM, "figure 5.8, action 2", what, "13", str(moves), wrong)


def _small_bid() -> PaperRow:
    """Only the largest forward bid is tried. A needs six more workstations, but two are free. C would need two."""
    levels = [Levels(workstations=(3, 9), speedups=(1, 3)), Levels(workstations=(1, 3), speedups=(1, 2))]
    found = as_any(divide_shares(levels, total=6))
    held = listed(one.workstations[level] for one, level in zip(levels, found.levels, strict=True))
    wrong = "only the largest bid is tried, so a smaller one starves beside free nodes (erratum 8d)"
    return erratum(Paper.SHUM, "5.7.3", "workstations of A and C, six in all", "3, 1", held, wrong)


def _newcomer_without_a_donor() -> PaperRow:
    """A newcomer C that finds no donor at its first auction never grows.

    A has three of four workstations, and is exempt at C's first auction. Then twelve auctions of both follow.
    """
    events: list[_Event] = [_arrives("A", "2", "1", levels=(1, 3)), _AUCTION, _arrives("C", "9", "1", levels=(1, 3))]
    events += [HoldAuction(exempt=("A",)), *[_AUCTION] * 12]
    held = [outcome.allocation for outcome in replay(_rules(4), events)][-1]["C"]
    wrong = "it is no newcomer at its second auction, and has no forward bid yet (erratum 8g)"
    return erratum(
        Paper.SHUM, "5.7.3", "workstations of a newcomer that finds no donor at first", "3", str(held), wrong
    )
