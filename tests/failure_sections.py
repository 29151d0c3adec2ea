"""What is shown beside a test that failed."""

from collections.abc import Callable

import pytest


def show_beside(report: pytest.TestReport, title: str, words: Callable[[], str]) -> None:
    """Add a section to the report of a test that failed; what can't be read is said so.

    A cluster that a test has broken may not answer. An exception here would end the whole run and hide the failure.
    """
    try:
        shown = words()
    except Exception as error:  # noqa: BLE001 - the failure that it hides matters more
        shown = f"This can't be read: {error!r}"
    report.sections.append((title, shown))
