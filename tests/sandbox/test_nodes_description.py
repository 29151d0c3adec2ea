import pytest

from sandbox import generic_nodes


@pytest.mark.parametrize(
    ("count", "want_first", "want_last"),
    [
        pytest.param(12, "n01", "n12", id="two digits at least"),
        pytest.param(5000, "n0001", "n5000", id="as many digits as the last needs"),
    ],
)
def test_generic_nodes_sort_by_number(count, want_first, want_last):
    names = [node.name for node in generic_nodes(count)]

    assert (names[0], names[-1], len(names)) == (want_first, want_last, count)
    assert names == sorted(names)
