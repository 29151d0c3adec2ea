"""The journal of a dealer: lines that can't be read count as if they were not there."""

import pytest

from lockstep.dealer.kept_states import Journal, read_states
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


def test_incomplete_line_settles_no_piece_after_later_restarts_either(tmp_path):
    """The dealer was killed while it wrote ``1 12``. The next one writes its own lines, and is restarted, too."""
    journal = tmp_path / "journal"
    journal.write_bytes(b"1 3\n1 1")
    next_dealer = Journal(journal)
    next_dealer.add([0], PieceState.DONE)
    next_dealer._file.close()

    states = read_states(13, tmp_path / "kept", journal)

    assert [piece for piece, state in enumerate(states) if state] == [0, 3]
