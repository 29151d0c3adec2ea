"""How much of a long search a run makes: a seeded sample of its cases, or all of them.

Long searches ask very many cases of one kind: all seeds of a property, all points at which something can crash. ``make
test`` asks a twelfth of each, always the same, and ``make test SAMPLE=7`` another one; ``make verify`` asks all.
"""

import random
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TypeVar

import pytest
from hypothesis import is_hypothesis_test, settings

Case = TypeVar("Case")

# So many cases stand for each that is asked.
ONE_IN = 12
# Hypothesis finds most of what it finds among the first examples of a property.
ONE_IN_OF_EXAMPLES = 4


def add_options(parser: pytest.Parser) -> None:
    """Let a run choose its sample, or ask every case."""
    parser.addoption("--whole", action="store_true", help="make every long search whole, not a sample of it")
    parser.addoption("--sample", type=int, default=1, metavar="SEED", help="the seed that draws the sample")


def described(config: pytest.Config) -> str:
    """One line for the head of a run."""
    if config.getoption("--whole"):
        return "long searches: every case"
    drawn = f"one case in {ONE_IN}, drawn by seed {config.getoption('--sample')}"
    return f"long searches: {drawn}; of the examples of a property one in {ONE_IN_OF_EXAMPLES}"


def sample(
    config: pytest.Config, name: str, cases: Sequence[Case], *, least: int = 1, one_in: int = ONE_IN
) -> list[Case]:
    """The cases of the search ``name`` that this run asks, in their order: one in so many, but at least so many."""
    if config.getoption("--whole"):
        return list(cases)
    draw = random.Random(f"{config.getoption('--sample')} {name}")  # noqa: S311 - a sample is no secret
    count = min(len(cases), max(least, -(-len(cases) // one_in)))
    return [cases[index] for index in sorted(draw.sample(range(len(cases)), count))]


def sampled(config: pytest.Config, items: Iterable[pytest.Function]) -> set[pytest.Function]:
    """Of the tests of long searches, those that this run asks.

    Cases that differ by their seed alone are one search; a function without seeds is one, with all of its cases.
    Tests with the mark ``search("NAME")`` are one search of that name, of which ``one_in`` says how many are asked.
    """
    cases = defaultdict(list)
    for item in items:
        cases[_search_of(item), _one_in_of(item)].append(item)
    return {item for (name, one_in), those in cases.items() for item in sample(config, name, those, one_in=one_in)}


def ask_few_examples(config: pytest.Config, items: Iterable[pytest.Function]) -> None:
    """Have the properties that Hypothesis searches ask a part of their examples, unless the run is whole."""
    if config.getoption("--whole"):
        return
    for test in {item.obj for item in items if is_hypothesis_test(item.obj)}:
        # There is no other way to change the settings of a test once they are there.
        own = test._hypothesis_internal_use_settings
        test._hypothesis_internal_use_settings = settings(own, max_examples=-(-own.max_examples // ONE_IN_OF_EXAMPLES))


def _one_in_of(item: pytest.Function) -> int:
    mark = item.get_closest_marker("search")
    return ONE_IN if mark is None else int(mark.kwargs.get("one_in", ONE_IN))


def _search_of(item: pytest.Function) -> str:
    if (mark := item.get_closest_marker("search")) is not None:
        return str(mark.args[0])
    function, _, case = item.nodeid.removesuffix("]").partition("[")
    if "seed" not in item.fixturenames or not case:
        return function
    parts = case.split("-")
    parts.remove(str(item.callspec.params["seed"]))
    return "-".join([function, *parts])
