"""What the tests have measured, printed when all is over."""

from collections.abc import Iterable, Mapping

import pytest

_NAME = "measured"


class Measured:
    """Takes what a test has measured, in seconds by name. The test's report carries it, from whatever process."""

    def __init__(self, test: pytest.Item) -> None:
        self._test = test

    def __call__(self, seconds: Mapping[str, float]) -> None:
        """Keep it for the summary."""
        self.say(", ".join(f"{name} {number:.2f} s" for name, number in seconds.items()))

    def say(self, sentence: str) -> None:
        """Keep something else for the summary."""
        self._test.user_properties.append((_NAME, f"{self._test.name}: {sentence}"))


def all_measured(reports: Iterable[pytest.TestReport]) -> list[str]:
    """Return what is in the reports of the tests themselves."""
    calls = (report for report in reports if report.when == "call")
    return [str(line) for report in calls for name, line in report.user_properties if name == _NAME]
