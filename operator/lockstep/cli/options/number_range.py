"""The type of numbers in options."""

import math
from typing import Any

import click


class NumberRange(click.FloatRange):
    """A number within bounds. Unlike click's own type, it refuses ``nan``."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Parse the value, or fail with a sentence."""
        number = float(super().convert(value, param, ctx))
        if math.isnan(number):
            self.fail(f"{value} is not a number", param, ctx)
        return number
