"""Instructions are counted of the work alone."""

import gc

from builders.work import instructions


class Circle:
    """An object that only a collection of garbage ends, which takes instructions."""

    def __init__(self):
        self.itself = self

    def __del__(self):
        sum(range(self.itself is self))


def leave_garbage():
    for _ in range(100):
        Circle()


def test_collections_of_garbage_are_not_counted():
    thresholds = gc.get_threshold()
    counts = []
    for often in (10, 1_000_000):
        gc.set_threshold(often)
        try:
            counts.append(instructions(leave_garbage))
        finally:
            gc.set_threshold(*thresholds)

    assert counts[0] == counts[1]
