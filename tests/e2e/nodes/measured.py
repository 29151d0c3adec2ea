"""What the tests have measured, printed when all is over."""

from collections.abc import Mapping

import pytest

LINES = pytest.StashKey[list[str]]()


class Measured:
    """Takes what a test has measured, in seconds by name."""

    def __init__(self, lines: list[str], test: str) -> None:
        self._lines = lines
        self._test = test

    def __call__(self, seconds: Mapping[str, float]) -> None:
        """Keep it for the summary."""
        shown = ", ".join(f"{name} {number:.2f} s" for name, number in seconds.items())
        self._lines.append(f"{self._test}: {shown}")

    def say(self, sentence: str) -> None:
        """Keep something else for the summary."""
        self._lines.append(f"{self._test}: {sentence}")
