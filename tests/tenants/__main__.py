"""``make tenants``: what the largest objects of one tenant cost the others, as a list sorted by price."""

import argparse
import random
import sys
from collections.abc import Sequence
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from tenants.all_shapes import all_shapes
from tenants.bounds import too_dear
from tenants.price import Price, price, without
from tenants.shapes import Shape


class Priced(NamedTuple):
    """A shape and its price."""

    shape: Shape
    price: Price


def main() -> int:
    """Price the shapes that the command line asks for; whatever they cost, this succeeds."""
    options = _parse()
    shapes = _chosen(all_shapes(), options)
    print(f"{len(shapes)} shapes; without them: {without().step:,} instructions a step, {without().work:,} a plan")
    priced = []
    for number, shape in enumerate(shapes, 1):
        priced.append(Priced(shape, price(shape)))
        paid = ", ".join(f"{measure} {one:.2f}" for measure, one in priced[-1].price._asdict().items())
        print(f"{number}/{len(shapes)} {shape.plural} {shape.field}, {shape.name}: {paid}", file=sys.stderr)
    _show(sorted(priced, key=_dearest, reverse=True))
    return 0


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="tenants", description=__doc__)
    parser.add_argument("--kind", default="", help="only objects of this kind, by its plural")
    parser.add_argument("--field", default="", help="only fields whose path has this in it")
    parser.add_argument("--one-in", type=int, default=1, help="only one shape of so many, drawn by --seed")
    parser.add_argument("--seed", type=int, default=1, help="which of them")
    return parser.parse_args()


def _chosen(shapes: Sequence[Shape], options: argparse.Namespace) -> list[Shape]:
    asked = [one for one in shapes if options.kind in ("", one.plural) and options.field in one.field]
    draw = random.Random(options.seed)  # noqa: S311 - a sample is no secret
    return [asked[index] for index in sorted(draw.sample(range(len(asked)), -(-len(asked) // options.one_in)))]


def _dearest(one: Priced) -> float:
    return max(one.price.step, one.price.work, one.price.reading)


def _show(priced: Sequence[Priced]) -> None:
    table = Table(*Price._fields, "kind", "field", "shape", "", title="prices, as multiples of the same without")
    for shape, paid in priced:
        mark = "beyond its bound" if [*too_dear(shape, paid)] else ""
        table.add_row(*(f"{one:.2f}" for one in paid), shape.plural, shape.field, shape.name, mark)
    Console(width=None if sys.stdout.isatty() else 240).print(table)


if __name__ == "__main__":
    sys.exit(main())
