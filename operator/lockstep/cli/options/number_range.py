"""Numbers as options have them."""

import math
from typing import Any

import click


class NumberRange(click.FloatRange):
    """A number within bounds. To click what is no number, ``nan``, is within any."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Read it, or fail with a sentence."""
        number = float(super().convert(value, param, ctx))
        if math.isnan(number):
            self.fail(f"{value} is not a number", param, ctx)
        return number
