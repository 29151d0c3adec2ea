"""Groups of equal rows, beside a dictionary of all rows."""

from itertools import islice

import numpy as np
import pytest

from coschedule.queue.packing.equal_rows import equal_rows, in_blocks


@pytest.mark.parametrize("seed", range(40))
def test_groups_are_those_of_a_dictionary_in_its_order(seed: int) -> None:
    chance = np.random.default_rng(seed)
    rows = chance.integers(-1, 1 + seed // 8, size=(int(chance.integers(1, 60)), int(chance.integers(1, 4))))
    want: dict[bytes, list[int]] = {}
    for index, row in enumerate(rows):
        want.setdefault(row.tobytes(), []).append(index)

    assert [group.tolist() for group in equal_rows(rows)] == list(want.values())


def test_no_rows_have_no_groups() -> None:
    assert list(equal_rows(np.zeros((0, 3), dtype=np.int64))) == []


def test_blocks_double_up_to_the_most_and_ask_for_no_more_items_than_they_have() -> None:
    items = iter(range(20))
    blocks = in_blocks(items, most=4)

    assert list(islice(blocks, 3)) == [[0], [1, 2], [3, 4, 5, 6]]
    assert next(items) == 7
    assert [len(block) for block in blocks] == [4, 4, 4]
