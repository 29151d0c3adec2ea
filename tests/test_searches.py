"""A run asks a part of the cases of each search and of the examples of each property, and a whole one all of them."""

from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from searches import ask_few_examples, sampled


@pytest.mark.parametrize(("whole", "want"), [(False, 10), (True, 40)], ids=["sample", "whole"])
def test_property_is_asked_of_a_quarter_of_its_examples_or_of_all(whole, want):
    asked = []

    @settings(max_examples=40)
    @given(st.integers())
    def is_asked(number):
        asked.append(number)

    ask_few_examples(SimpleNamespace(getoption={"--whole": whole}.get), 2 * [SimpleNamespace(obj=is_asked)])
    is_asked()

    assert len(asked) == want


class Case:
    """One of the tests of a search, as pytest has collected it."""

    def __init__(self, number, **mark):
        self.nodeid = f"tests/test_scenes.py::test_scene_{number}"
        self._mark = SimpleNamespace(args=("scenes",), kwargs=mark)

    def get_closest_marker(self, _name):
        return self._mark


@pytest.mark.parametrize(
    ("whole", "mark", "want"),
    [
        pytest.param(False, {}, 2, id="a twelfth"),
        pytest.param(False, {"one_in": 3}, 8, id="as many as the mark says"),
        pytest.param(True, {"one_in": 3}, 24, id="whole"),
    ],
)
def test_of_tests_with_a_mark_so_many_are_asked(whole, mark, want):
    options = {"--whole": whole, "--sample": 1}
    config = SimpleNamespace(getoption=options.get)

    assert len(sampled(config, [Case(number, **mark) for number in range(24)])) == want
