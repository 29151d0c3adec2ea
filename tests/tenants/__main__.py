"""``make tenants``: what the largest objects of one tenant cost the others, as a list sorted by price."""

import argparse
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import suppress
from time import monotonic
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from tenants.bounds import Nearest, nearest, too_dear, too_slow
from tenants.counting import Choice, CountedGroup, count, counter
from tenants.ordinary import Delay, Ordinary
from tenants.portions import Counted, portions
from tenants.price import Price
from tenants.shapes import Shape
from tenants.together import Group, each
from tenants.working_cluster import working_cluster

# The objects of these groups are kept in memory until they are measured.
_GROUPS_AHEAD = 16
_UNMEASURED = Delay(latency=0.0, cpu=0.0, peak=0.0, held=0.0)


class Priced(NamedTuple):
    """A shape, what it costs, counted, and what ordinary gangs meet beside it, measured."""

    shape: Shape
    price: Price
    delay: Delay

    @property
    def nearest(self) -> Nearest:
        """The bound of which it takes the largest share."""
        return nearest(*self)


class Asked(NamedTuple):
    """What the command line asks for."""

    choice: Choice
    first: int
    is_measured: bool


def main() -> int:
    """Price the shapes that the command line asks for; whatever they cost, this succeeds. Ctrl-C shows those so far."""
    asked, began = _parse(), monotonic()
    groups = asked.choice.groups()
    priced: list[Priced] = []
    with counter(asked.choice) as counting, suppress(KeyboardInterrupt):
        counted = _counted(groups, asked.first, counting)
        for ones in _measured(counted, len(groups)) if asked.is_measured else _unmeasured(counted):
            priced += ones
    _show(sorted(priced, key=lambda one: one.nearest.share, reverse=True))
    shapes = sum(map(len, groups))
    print(f"{len(priced)} of {shapes} shapes, in {len(groups)} groups, took {(monotonic() - began) / 60:.0f} minutes")
    return 0


def _parse() -> Asked:
    parser = argparse.ArgumentParser(prog="tenants", description=__doc__)
    parser.add_argument("--kind", default="", help="only objects of this kind, by its plural")
    parser.add_argument("--field", default="", help="only fields whose path has this in it")
    parser.add_argument("--one-in", type=int, default=1, help="only one shape of so many, drawn by --seed")
    parser.add_argument("--seed", type=int, default=1, help="which of them")
    parser.add_argument("--first", type=int, default=1, help="the number of the group to begin with, as lines show it")
    parser.add_argument("--counted", action="store_true", help="only count, and measure nothing on a control plane")
    options = vars(parser.parse_args())
    is_measured, first = not options.pop("counted"), options.pop("first")
    return Asked(Choice(**options), first, is_measured)


def _measured(counted: Iterator[list[Counted]], groups: int) -> Iterator[list[Priced]]:
    """The prices, also measured on a control plane."""
    with working_cluster() as cluster:
        ordinary = Ordinary(cluster, _is_slow, _say)
        before = ordinary.resident_bytes()
        try:
            for portion in portions(counted):
                priced = _priced(portion, ordinary)
                _say(_line(portion, priced, groups))
                yield priced
        finally:
            after = ordinary.resident_bytes()
            _say(f"the operator had {before >> 20} MiB before them, and {after >> 20} MiB when all of them were gone")


def _unmeasured(counted: Iterator[list[Counted]]) -> Iterator[list[Priced]]:
    for group in counted:
        yield [Priced(one.shape, one.price, _UNMEASURED) for one in group]


def _counted(groups: Sequence[Group], first: int, counting: ProcessPoolExecutor) -> Iterator[list[Counted]]:
    """The groups as they are counted, some ahead of those that are measured."""
    ahead: deque[tuple[int, Future[CountedGroup]]] = deque()
    for number in range(first, len(groups) + 1):
        ahead.append((number, counting.submit(count, number - 1)))
        if len(ahead) > _GROUPS_AHEAD:
            yield _joined(groups, *ahead.popleft())
    while ahead:
        yield _joined(groups, *ahead.popleft())


def _joined(groups: Sequence[Group], number: int, future: Future[CountedGroup]) -> list[Counted]:
    counted = future.result()
    ones = zip(groups[number - 1], counted.prices, counted.texts, strict=True)
    found = [Counted(number, *one) for one in ones]
    dearest = max(found, key=lambda one: _counted_share(one).share)
    _say(f"{number}/{len(groups)} counted: {_named(dearest.shape)}: {_counted_share(dearest)}")
    return found


def _counted_share(one: Counted) -> Nearest:
    return nearest(one.shape, one.price, _UNMEASURED)


def _priced(portion: Sequence[Counted], ordinary: Ordinary) -> list[Priced]:
    delays = each(portion, ordinary.beside, lambda one, delay: _is_slow(one.shape, delay))
    return [Priced(one.shape, one.price, delay) for one, delay in zip(portion, delays, strict=True)]


def _is_slow(shape: Shape, delay: Delay) -> bool:
    return bool([*too_slow(shape, delay)])


def _say(line: str) -> None:
    """Print a line at once, so that a run that is cut short shows how far it came."""
    print(line, flush=True)


def _line(portion: Sequence[Counted], priced: Sequence[Priced], groups: int) -> str:
    """The dearest shape of a portion, and every one beyond a bound."""
    dearest = max(priced, key=lambda one: one.nearest.share)
    beyond = [phrase for one in priced for phrase in _beyond(one)]
    return "\n".join([f"{portion[0].number}-{portion[-1].number}/{groups} {_formatted(dearest)}", *beyond])


def _beyond(one: Priced) -> list[str]:
    return [*too_dear(one.shape, one.price), *too_slow(one.shape, one.delay)]


def _formatted(one: Priced) -> str:
    numbers = {**one.price._asdict(), **one.delay._asdict()}
    paid = ", ".join(f"{measure} {number:.2f}" for measure, number in numbers.items())
    return f"{_named(one.shape)}: {paid}"


def _named(shape: Shape) -> str:
    return f"{shape.plural} {shape.field}, {shape.name}"


def _show(priced: Sequence[Priced]) -> None:
    columns = ("kind", "field", "shape", *Price._fields, *Delay._fields, "nearest bound", "")
    table = Table(*columns, title="prices of objects of one tenant")
    for one in priced:
        numbers = [f"{number:.2f}" for number in (*one.price, *one.delay)]
        mark = "beyond its bound" if _beyond(one) else ""
        table.add_row(one.shape.plural, one.shape.field, one.shape.name, *numbers, str(one.nearest), mark)
    Console(width=None if sys.stdout.isatty() else 280).print(table)


if __name__ == "__main__":
    sys.exit(main())
