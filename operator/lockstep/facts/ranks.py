"""Sets of ranks: as text in a status (``0-4095,4097``), and as an integer with one bit for each rank.

A gang has at most 10,000 members. So a set takes at most 1.25 KB as a number. As text it takes at most 32 KB, if every
third rank is missing.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

MOST_RANKS = 10_000
_RANGE = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")


def ranks_from(ranks: Iterable[int]) -> int:
    """The set of these ranks."""
    bits = bytearray(MOST_RANKS // 8)
    for rank in ranks:
        bits[rank // 8] |= 1 << rank % 8
    return int.from_bytes(bits, "little")


def ranks_in(ranks: int) -> Iterator[int]:
    """The ranks of the set, from the lowest to the highest."""
    for one in re.finditer("1", f"{ranks:b}"[::-1]):
        yield one.start()


def has_rank(ranks: int, rank: int) -> bool:
    """Whether the set has the rank."""
    return bool(ranks >> rank & 1)


@lru_cache(maxsize=1024)
def parse_ranks(text: str) -> int:
    """The set in the text of a status. Invalid parts and ranks are ignored: any client may have written them."""
    ranks = 0
    for first, last in _RANGE.findall(text):
        low, high = int(first), min(int(last or first), MOST_RANKS - 1)
        if low <= high:
            ranks |= ((1 << high - low + 1) - 1) << low
    return ranks


def format_ranks(ranks: int) -> str:
    """The set as text; '' for the empty set."""
    digits = f"{ranks:b}"[::-1]
    return ",".join(_format(*run.span()) for run in re.finditer("1+", digits))


def _format(start: int, end: int) -> str:
    return str(start) if end - start == 1 else f"{start}-{end - 1}"
