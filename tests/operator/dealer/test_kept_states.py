"""The journal of a dealer: lines that can't be read count as if they were not there."""

import pytest

from lockstep.dealer.kept_states import read_states
from lockstep.facts.piece_states import PieceState


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(b"\xff\n", id="not ASCII"),
        pytest.param(b"\0\0\0\n", id="empty blocks"),
        pytest.param(b"1 1\xff\n", id="a number with other bytes"),
        pytest.param(b"1 " + b"1" * 5_000 + b"\n", id="more digits than Python reads"),
        pytest.param(b"3 1\n", id="no state"),
        pytest.param(b"1 \n", id="no piece"),
        pytest.param(b"1 4\n", id="a piece that does not exist"),
        pytest.param(b"1 1", id="incomplete"),
    ],
)
def test_piece_of_an_unreadable_line_is_open(tmp_path, line):
    journal = tmp_path / "journal"
    journal.write_bytes(b"1 3\n" + line)

    assert read_states(4, tmp_path / "kept", journal) == bytearray([0, 0, 0, PieceState.DONE])
