"""Options of many tables at once, beside the definition: no option is at least as good as another in everything."""

import numpy as np
import pytest

from coschedule.queue.packing.layout import Layout, layout_of, options_of_all


@pytest.mark.parametrize("maximised", [None, 1], ids=["counted", "maximised"])
@pytest.mark.parametrize("seed", range(12))
def test_options_of_several_parts_are_those_that_nothing_beats(seed: int, maximised: int | None) -> None:
    chance = np.random.default_rng(seed)
    exact = chance.random(3) < 0.4
    layout = layout_of(chance.integers(1, 4, size=3), exact=exact, maximised=maximised)
    tables = np.where(chance.random((4, len(layout.counts))) < 0.3, -np.inf, chance.integers(0, 4, len(layout.counts)))
    tables[:, 0] = 0.0

    for table, options in zip(tables, options_of_all(layout, tables), strict=True):
        want = _options(layout, table.tolist())
        assert list(zip(options.given.tolist(), options.values, strict=True)) == [([0, 0, 0], 0.0), *want]
        assert options.most == options.given.max(axis=0).tolist()
        assert options.fewer == (options.given.max(axis=0) - options.given).tolist()


def _options(layout: Layout, table: list[float]) -> list[tuple[list[int], float]]:
    """List the cells with a value or a member that no cell with more members and as much value beats."""
    cells = list(zip(layout.counts.tolist(), table, strict=True))
    beaten = [
        any(_is_beyond(layout, ours, theirs) and more >= value for theirs, more in cells) for ours, value in cells
    ]
    return [
        (counts, value)
        for (counts, value), is_beaten in zip(cells, beaten, strict=True)
        if not is_beaten and value > -np.inf and (value > 0 or any(counts))
    ]


def _is_beyond(layout: Layout, ours: list[int], theirs: list[int]) -> bool:
    pairs = list(zip(ours, theirs, layout.exact.tolist(), strict=True))
    return ours != theirs and all(theirs == ours if exact else theirs >= ours for ours, theirs, exact in pairs)
