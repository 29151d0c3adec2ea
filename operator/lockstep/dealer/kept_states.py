"""The states of pieces on disk: a copy of the gang's ConfigMap, and a journal of the pieces that were settled since.

The journal is in the pod, so a dealer that restarts in this pod loses nothing. The ConfigMap outlives the pod.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from lockstep.facts.piece_states import PieceState, check_bits, merged, packed, unpacked

_LINE = re.compile(rb"^([12]) ([0-9]{1,9})\n", re.MULTILINE)
_END_OF_INCOMPLETE_LINE = "#\n"


def read_states(pieces: int, kept: Path, journal: Path) -> bytearray:
    """Return the states in both files. A state that can't be read counts as open, so its piece is dealt again."""
    return unpacked(merged(_kept_bits(pieces, kept), packed(_journaled(pieces, journal))), pieces)


class Journal:
    """Adds lines to the journal: a state, a blank and a piece."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("a", encoding="ascii")
        # A dealer that was killed may have left an incomplete last line, with only the first digits of a piece. A line
        # end alone would complete this line, and its digits would name another piece. The mark prevents this.
        self._file.write(_END_OF_INCOMPLETE_LINE)

    def add(self, pieces: Iterable[int], state: PieceState) -> None:
        """Record a new state of these pieces."""
        self._file.write("".join(f"{state:d} {piece}\n" for piece in pieces))
        self._file.flush()


def _kept_bits(pieces: int, kept: Path) -> bytes:
    nothing = packed(bytes(pieces))
    try:
        bits = kept.read_bytes()
        check_bits(bits, pieces)
    except (FileNotFoundError, ValueError):
        return nothing
    return bits


def _journaled(pieces: int, journal: Path) -> bytearray:
    states = bytearray(pieces)
    for state, piece in _lines(journal):
        if piece < pieces and states[piece] != PieceState.DONE:
            states[piece] = state
    return states


def _lines(journal: Path) -> Iterator[tuple[PieceState, int]]:
    """List the state and the piece of each complete line."""
    content = journal.read_bytes() if journal.exists() else b""
    for line in _LINE.finditer(content):
        yield PieceState(int(line[1])), int(line[2])
