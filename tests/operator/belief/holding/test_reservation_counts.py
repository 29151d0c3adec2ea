"""What a reservation says of one member takes the same time however many nodes it has."""

from dataclasses import replace
from typing import ClassVar

from builders.facts import reservation


class CountedEntries(tuple):
    """Entries that count how often they are gone through."""

    __slots__ = ()
    rounds: ClassVar = []

    def __iter__(self):
        self.rounds.append(1)
        return super().__iter__()


def test_members_are_counted_once_whatever_is_asked():
    members = reservation("g", members=[(f"n{number}", 2) for number in range(9)]).members
    held = replace(reservation("g"), members=CountedEntries(members))
    rounds = len(CountedEntries.rounds)

    assert held.size == 18
    assert [held.has_rank(rank) for rank in (0, 17, 18)] == [True, True, False]
    assert all(held.is_for(seat) for seat in held.memberships())
    assert len(CountedEntries.rounds) == rounds


def test_every_rank_has_its_node():
    held = reservation("g", members=(("n1", 2), ("n2", 1)))

    assert held.nodes() == {0: "n1", 1: "n1", 2: "n2"}
    assert held.without({0}).nodes() == {1: "n1", 2: "n2"}
