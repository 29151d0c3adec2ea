"""Two bits a piece, and back; what is counted in them; and what is refused."""

from random import Random

import pytest

from lockstep.facts.piece_states import (
    PieceCounts,
    PieceState,
    bytes_of,
    check_bits,
    counted,
    format_counts,
    merged,
    packed,
    parse_counts,
    unpacked,
)


@pytest.mark.parametrize("pieces", [1, 2, 3, 4, 5, 17, 100, 1001])
def test_states_survive_the_way_to_bits_and_back(pieces):
    random = Random(pieces)  # noqa: S311 - no secret
    states = bytearray(random.randrange(3) for _ in range(pieces))
    bits = packed(states)

    assert len(bits) == bytes_of(pieces)
    assert unpacked(bits, pieces) == states
    assert counted(bits) == PieceCounts(
        done=states.count(PieceState.DONE),
        failed=states.count(PieceState.FAILED),
        first_failed=tuple(n for n, state in enumerate(states) if state == PieceState.FAILED)[:10],
    )


def test_merged_states_are_the_later_ones_and_done_counts_most():
    one, other = [0, 0, 0, 1, 1, 1, 2, 2, 2], [0, 1, 2, 0, 1, 2, 0, 1, 2]

    assert [*unpacked(merged(packed(bytes(one)), packed(bytes(other))), 9)] == [0, 1, 2, 1, 1, 1, 2, 1, 2]


@pytest.mark.parametrize("bits", [b"", b"\0", b"\0\0\0", b"\x03\0", b"\0\xc0", b"\0\x04"])
def test_bits_of_other_pieces_are_refused(bits):
    with pytest.raises(ValueError, match="piece"):
        check_bits(bits, 5)


@pytest.mark.parametrize(
    "counts", [PieceCounts(done=0, failed=0), PieceCounts(done=7, failed=12, first_failed=(0, 3, 99_999))]
)
def test_counts_survive_the_way_to_text_and_back(counts):
    assert parse_counts(format_counts(counts)) == counts


@pytest.mark.parametrize(
    "text", ["", "done 1", "done 1, failed 99999999:", "done 1, failed 2: x", "done 1, failed 0:\n"]
)
def test_other_text_has_no_counts(text):
    assert parse_counts(text) is None
