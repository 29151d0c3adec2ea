"""Why a gang changes its size or keeps it, in words."""

from lockstep.report.text.size_sentences import KEEPS_SIZE
from lockstep.snapshot.holders.resizable import KeepsSize


def test_there_is_a_clause_for_each_reason():
    assert KEEPS_SIZE.keys() == set(KeepsSize)
