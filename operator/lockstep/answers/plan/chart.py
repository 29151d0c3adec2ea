"""Finish over size as bars of one line each, in blocks where the terminal has them."""

from collections.abc import Sequence
from typing import NamedTuple

_WIDTH = 40


class Marks(NamedTuple):
    """What bars are made of: time until the end, and what the members' price adds to it."""

    finish: str
    price: str


BLOCKS = Marks("█", "░")
ASCII = Marks("#", "-")


def marks_for(encoding: str | None) -> Marks:
    """Blocks where that encoding has them."""
    try:
        "".join(BLOCKS).encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return ASCII
    return BLOCKS


def bars(lengths: Sequence[tuple[float, float]], marks: Marks) -> list[str]:
    """Draw a bar for each pair of a finish and what the price adds, in seconds from now, all to one scale."""
    longest = max((finish + price for finish, price in lengths), default=0.0)
    return [_bar(finish, price, longest, marks) for finish, price in lengths]


def _bar(finish: float, price: float, longest: float, marks: Marks) -> str:
    if not longest:
        return ""
    until_finish = max(1, round(_WIDTH * finish / longest))
    whole = round(_WIDTH * (finish + price) / longest)
    return marks.finish * until_finish + marks.price * (whole - until_finish)
