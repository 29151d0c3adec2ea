"""Draws finish times by size as bars of one line each, with block characters if the terminal has them."""

from collections.abc import Sequence
from typing import NamedTuple

_WIDTH = 40


class Marks(NamedTuple):
    """The characters of bars: one for the time until the finish, one for the price of the members."""

    finish: str
    price: str


BLOCKS = Marks("█", "░")
ASCII = Marks("#", "-")


def marks_for(encoding: str | None) -> Marks:
    """The block characters if that encoding has them, and ASCII characters otherwise."""
    try:
        "".join(BLOCKS).encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return ASCII
    return BLOCKS


def bars(lengths: Sequence[tuple[float, float]], marks: Marks) -> list[str]:
    """Draw a bar for each pair: the seconds until the finish, and the price of all members in seconds.

    All bars have one scale.
    """
    longest = max((finish + price for finish, price in lengths), default=0.0)
    return [_bar(finish, price, longest, marks) for finish, price in lengths]


def _bar(finish: float, price: float, longest: float, marks: Marks) -> str:
    if not longest:
        return ""
    until_finish = max(1, round(_WIDTH * finish / longest))
    whole = round(_WIDTH * (finish + price) / longest)
    return marks.finish * until_finish + marks.price * (whole - until_finish)
