"""Prices of groups of shapes, counted in other processes than that which measures a cluster."""

import gc
import logging
import random
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from typing import NamedTuple

from tenants.all_shapes import all_shapes
from tenants.bounds import too_dear
from tenants.made import made_of
from tenants.portions import created
from tenants.price import Price, prices, without
from tenants.together import Group, each, groups_of

# Most of the work is to count, and what is measured leaves out how much of the machine that takes.
_PROCESSES = 2


class CountedGroup(NamedTuple):
    """The price of each shape of a group, and the objects of each that are created beside ordinary gangs."""

    prices: list[Price]
    texts: list[list[bytes]]


class Choice(NamedTuple):
    """Shapes of a kind, or of all kinds where it is empty, whose field has a text in its path; one in so many."""

    kind: str = ""
    field: str = ""
    one_in: int = 1
    seed: int = 1

    def groups(self) -> list[Group]:
        """The chosen shapes in groups, always in the same order, in which no kind of objects comes first."""
        asked = [one for one in all_shapes() if self.kind in ("", one.plural) and self.field in one.field]
        draw = random.Random(self.seed)  # noqa: S311 - a sample is no secret
        sample = sorted(draw.sample(range(len(asked)), -(-len(asked) // self.one_in)))
        groups = [*groups_of([asked[one] for one in sample])]
        draw.shuffle(groups)
        return groups


@contextmanager
def counter(choice: Choice) -> Iterator[ProcessPoolExecutor]:
    """Processes that count the prices of groups; each makes the shapes itself, since they can't be sent."""
    executor = ProcessPoolExecutor(_PROCESSES, get_context("spawn"), _begin, (choice,))
    try:
        yield executor
    finally:
        executor.shutdown(cancel_futures=True)


def count(number: int) -> CountedGroup:
    """The prices of the chosen group of that number, and what of its objects is created on a real control plane."""
    made = made_of(_groups[number])
    paid = each(made, prices, lambda one, price: bool([*too_dear(one.shape, price)]))
    return CountedGroup(paid, [created(one) for one in made])


_groups: list[Group] = []


def _begin(choice: Choice) -> None:
    logging.disable(logging.CRITICAL)
    _groups.extend(choice.groups())
    without()
    # Each count of memory has the garbage collector go through everything else.
    gc.freeze()
