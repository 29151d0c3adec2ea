"""``make tenants``: what the largest objects of one tenant cost the others, as a list sorted by price."""

import argparse
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import suppress
from time import monotonic
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from tenants.bounds import share_of_bounds, too_dear, too_slow
from tenants.counting import Choice, count, counter
from tenants.ordinary import Delay, Ordinary
from tenants.price import Price
from tenants.shapes import Shape
from tenants.together import Group, each
from tenants.working_cluster import working_cluster


class Priced(NamedTuple):
    """A shape, what it costs, counted, and what ordinary gangs meet beside it, measured."""

    shape: Shape
    price: Price
    delay: Delay


def main() -> int:
    """Price the shapes that the command line asks for; whatever they cost, this succeeds. Ctrl-C shows those so far."""
    choice, began = _parse(), monotonic()
    groups = choice.groups()
    with counter(choice) as counting, working_cluster() as cluster:
        counted = [counting.submit(count, number) for number in range(len(groups))]
        ordinary = Ordinary(cluster)
        before = ordinary.resident_bytes()
        priced: list[Priced] = []
        with suppress(KeyboardInterrupt):
            for group in _priced(groups, counted, ordinary):
                priced += group
        after = ordinary.resident_bytes()
    _show(sorted(priced, key=lambda one: share_of_bounds(*one), reverse=True))
    shapes = sum(map(len, groups))
    print(f"{len(priced)} of {shapes} shapes, in {len(groups)} groups, took {(monotonic() - began) / 60:.0f} minutes")
    print(
        f"the operator had {before / 2**20:.0f} MiB before them, and {after / 2**20:.0f} MiB when all of them were gone"
    )
    return 0


def _parse() -> Choice:
    parser = argparse.ArgumentParser(prog="tenants", description=__doc__)
    parser.add_argument("--kind", default="", help="only objects of this kind, by its plural")
    parser.add_argument("--field", default="", help="only fields whose path has this in it")
    parser.add_argument("--one-in", type=int, default=1, help="only one shape of so many, drawn by --seed")
    parser.add_argument("--seed", type=int, default=1, help="which of them")
    return Choice(**vars(parser.parse_args()))


def _priced(
    groups: Sequence[Group], counted: Sequence[Future[list[Price]]], ordinary: Ordinary
) -> Iterator[list[Priced]]:
    """The prices of each group, which are printed when they are known."""
    for number, (group, future) in enumerate(zip(groups, counted, strict=True), 1):
        delays = each(group, ordinary.beside, lambda shape, delay: bool([*too_slow(shape, delay)]))
        priced = [Priced(*one) for one in zip(group, future.result(), delays, strict=True)]
        dearest = max(priced, key=lambda one: share_of_bounds(*one))
        print(f"{number}/{len(groups)} {_told(dearest)}", file=sys.stderr)
        yield priced


def _told(one: Priced) -> str:
    numbers = {**one.price._asdict(), **one.delay._asdict()}
    paid = ", ".join(f"{measure} {number:.2f}" for measure, number in numbers.items())
    return f"{one.shape.plural} {one.shape.field}, {one.shape.name}: {paid}"


def _show(priced: Sequence[Priced]) -> None:
    table = Table(*Price._fields, *Delay._fields, "kind", "field", "shape", "", title="prices of objects of one tenant")
    for shape, price, delay in priced:
        mark = "beyond its bound" if [*too_dear(shape, price), *too_slow(shape, delay)] else ""
        table.add_row(*(f"{one:.2f}" for one in (*price, *delay)), shape.plural, shape.field, shape.name, mark)
    Console(width=None if sys.stdout.isatty() else 240).print(table)


if __name__ == "__main__":
    sys.exit(main())
