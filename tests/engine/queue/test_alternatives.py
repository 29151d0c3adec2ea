"""What a placement says of the best that was not chosen."""

import pytest

from engine.builders import FOUR, NOW, gang, node, only


def test_alternative_is_more_members_later_rather_than_more_members_now():
    nodes = [*FOUR[:2], node("n3", slowdown=3.0), node("n4", start=NOW + 20)]

    other = only(nodes, gang(size=2, most=3, serial=12)).alternative

    assert (other.size, other.start, other.finish) == (3, NOW + 20, NOW + 24)


def test_as_many_members_later_are_no_alternative():
    nodes = [*FOUR, node("n5", start=NOW + 5)]

    other = only(nodes, gang(size=2, most=4, serial=12)).alternative

    assert (other.size, other.start) == (3, NOW)


def test_gang_that_waits_says_what_starting_now_would_give():
    nodes = [*FOUR[:2], node("n3", start=NOW + 2), node("n4", start=NOW + 2)]

    other = only(nodes, gang(size=2, most=4, serial=12)).alternative

    assert (other.size, other.start, other.finish, other.speedup) == (2, NOW, NOW + 6, 2)


def test_gang_says_what_another_size_would_give_when_nothing_comes_later():
    other = only(FOUR, gang(most=4, serial=12)).alternative

    assert (other.size, other.start, other.finish, other.speedup) == (3, NOW, NOW + 4, 3)


@pytest.mark.parametrize(
    "one",
    [
        pytest.param(gang(size=4, serial=12), id="no other size"),
        pytest.param(gang(size=4), id="run time unknown and no room for more"),
    ],
)
def test_no_alternative(one):
    assert only(FOUR, one).alternative is None
