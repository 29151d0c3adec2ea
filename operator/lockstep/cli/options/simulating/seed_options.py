"""The options for random seeds."""

from collections.abc import Callable
from typing import Any

import click

Command = Callable[..., Any]

_SEED = click.option(
    "--seed",
    metavar="N",
    type=click.IntRange(0),
    default=1,
    help="First random seed. The same seed gives the same results.",
)


def seed_options(*, seeds: int, most: int) -> Callable[[Command], Command]:
    """Add ``--seed`` and ``--seeds`` to a command.

    The default of ``--seeds`` is ``seeds``, and its maximum ``most``.
    """
    number = click.option(
        "--seeds",
        metavar="N",
        type=click.IntRange(1, most),
        default=seeds,
        help="Number of consecutive seeds to simulate.",
    )
    return lambda command: _SEED(number(command))
