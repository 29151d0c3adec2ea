"""The state of each piece of a gang's work, as two bits. This module uses the standard library only.

The dealer keeps and sends these bits; the operator reads, counts and stores them.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from itertools import islice

_IN_A_BYTE = 4
_MOST_NAMED = 10
"""The most failed pieces that are named: a status keeps their numbers, and a sentence lists them."""
_HAS_FAILED = re.compile(b"[" + b"".join(re.escape(bytes([byte])) for byte in range(256) if byte & 0xAA) + b"]")
_COUNTS = re.compile(r"done ([0-9]{1,7}), failed ([0-9]{1,7}):((?: [0-9]{1,7}){0,10})")


class PieceState(IntEnum):
    """The state of a piece. It does not say whether a piece is dealt: after a restart, such a piece is dealt again."""

    OPEN = 0
    DONE = 1
    FAILED = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class PieceCounts:
    """The numbers of pieces that are done and that have failed, and the first failed pieces, in ascending order."""

    done: int
    failed: int
    first_failed: tuple[int, ...] = ()

    @property
    def settled(self) -> int:
        """How many pieces are done or have failed."""
        return self.done + self.failed


NO_PIECES = PieceCounts(done=0, failed=0)


def packed(states: bytes | bytearray) -> bytes:
    """The states with two bits for each piece, from one byte for each piece.

    The first piece has the lowest bits of the first byte.
    """
    quarters = [states[first::_IN_A_BYTE].ljust(-(-len(states) // _IN_A_BYTE), b"\0") for first in range(_IN_A_BYTE)]
    return bytes(a | b << 2 | c << 4 | d << 6 for a, b, c, d in zip(*quarters, strict=True))


def unpacked(bits: bytes, pieces: int) -> bytearray:
    """The states with one byte for each piece, from two bits for each piece.

    Raises ``ValueError`` unless the bits are those of that many pieces.
    """
    check_bits(bits, pieces)
    states = bytearray(len(bits) * _IN_A_BYTE)
    for first in range(_IN_A_BYTE):
        states[first::_IN_A_BYTE] = bytes(byte >> 2 * first & 3 for byte in bits)
    del states[pieces:]
    return states


def check_bits(bits: bytes, pieces: int) -> None:
    """Raise ``ValueError`` unless the bits are those of that many pieces, each in a known state."""
    size = bytes_of(pieces)
    if len(bits) != size:
        raise ValueError(f"the states of {pieces} pieces take {size} bytes, not {len(bits)}")
    number = int.from_bytes(bits, "little")
    if number >> 2 * pieces or number & number >> 1 & _every_other(size):
        raise ValueError("a piece has a state that is not known")


def bytes_of(pieces: int) -> int:
    """The number of bytes for the bits of that many pieces."""
    return -(-pieces // _IN_A_BYTE)


def merged(one: bytes, other: bytes) -> bytes:
    """The later state of each piece: a piece never opens again, and a piece that was done in any try is done."""
    size = max(len(one), len(other))
    either = int.from_bytes(one, "little") | int.from_bytes(other, "little")
    done = either & _every_other(size)
    return (either & ~(done << 1)).to_bytes(size, "little")


def counted(bits: bytes) -> PieceCounts:
    """The number of pieces that are done and that have failed, and the first ten failed pieces."""
    number, low = int.from_bytes(bits, "little"), _every_other(len(bits))
    failed = number >> 1 & low
    return PieceCounts(
        done=(number & low).bit_count(),
        failed=failed.bit_count(),
        first_failed=tuple(islice(_positions(bits), _MOST_NAMED)),
    )


def format_counts(counts: PieceCounts) -> str:
    """The counts as text, such as ``done 90, failed 2: 7 31``, with the first failed pieces."""
    named = "".join(f" {piece}" for piece in counts.first_failed)
    return f"done {counts.done}, failed {counts.failed}:{named}"


def parse_counts(text: str) -> PieceCounts | None:
    """The counts in a text that ``format_counts`` wrote; None for any other text."""
    match = _COUNTS.fullmatch(text)
    if match is None:
        return None
    done, failed, named = match.groups()
    return PieceCounts(done=int(done), failed=int(failed), first_failed=tuple(map(int, named.split())))


def _positions(bits: bytes) -> Iterator[int]:
    """The pieces that have failed, in ascending order."""
    for match in _HAS_FAILED.finditer(bits):
        byte, first = match[0][0], _IN_A_BYTE * match.start()
        yield from (first + n for n in range(_IN_A_BYTE) if byte >> 2 * n & 3 == PieceState.FAILED)


def _every_other(size: int) -> int:
    """The number in which the lower bit of each piece is set, for that many bytes."""
    return int.from_bytes(b"\x55" * size, "little")
