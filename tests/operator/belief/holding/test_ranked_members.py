"""Ranks of members that come and go, against a model: a dictionary from rank to place."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from coschedule import Members
from lockstep.belief.holding.ranked_members import grown, places_of, ranked, shrunk, with_more
from lockstep.facts.ranks import has_rank, ranks_in

nodes = st.sampled_from(["a", "b", "c"])
places = st.dictionaries(st.integers(0, 9), st.tuples(st.sampled_from(["", "w"]), nodes), min_size=1)


@given(model=places)
def test_members_in_the_order_of_their_ranks_say_where_each_is(model):
    found = ranked(model)

    assert places_of(found.members, found.gapped) == model
    assert (found.gapped is None) == (sorted(model) == list(range(len(model))))
    assert all(entry.count for entry in found.members)


@given(model=places, added=st.lists(nodes, min_size=1, max_size=4))
def test_members_that_join_have_the_lowest_free_ranks_and_the_others_stay(model, added):
    found = grown(model, "w", added)

    free = [rank for rank in range(20) if rank not in model][: len(added)]
    assert places_of(found.members, found.gapped) == {
        **model,
        **dict(zip(free, [("w", one) for one in added], strict=True)),
    }
    assert list(ranks_in(found.joining)) == free
    # The next process reads the same from the status, which has the members before and after only.
    before = ranked(model)
    assert with_more(before.members, before.gapped, found.members) == found


@given(model=places, data=st.data())
def test_members_with_the_highest_ranks_of_a_place_leave_first(model, data):
    kept = {place: data.draw(st.integers(0, count)) for place, count in Counter(model.values()).items()}

    found = shrunk(model, kept)

    after = places_of(found.members, found.gapped)
    assert Counter(after.values()) == Counter({place: count for place, count in kept.items() if count})
    for rank, place in model.items():
        lower = sum(one == place and other < rank for other, one in model.items())
        assert (rank in after) == (lower < kept[place])


@given(model=places, other=places)
def test_members_of_a_status_count_as_joining_only_if_the_others_stay(model, other):
    before, after = ranked(model), ranked(other)

    found = with_more(before.members, before.gapped, after.members)

    if found is not None:
        read = places_of(found.members, found.gapped)
        assert model.items() < read.items()
        assert {rank for rank in read if not has_rank(found.joining, rank)} == model.keys()
        assert Counter(read.values()) == Counter(other.values())


def test_members_that_are_listed_in_parts_are_the_same():
    assert ranked(places_of([Members("a", 1), Members("a", 2)], None)).members == (Members("a", 3),)
