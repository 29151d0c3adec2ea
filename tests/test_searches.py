"""A run asks a part of the examples of each property, and a whole one all of them."""

from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from searches import ask_few_examples


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
