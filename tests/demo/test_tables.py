"""What the demo's tables show."""

from lockstep_demo.tables import short_names


def test_runs_of_three_and_more_nodes_are_drawn_together():
    assert short_names(["n12", "n01", "n02", "n05", "n06", "n07"]) == "n01 n02 n05…n07 n12"
