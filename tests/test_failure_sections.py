"""A test that fails is reported, whatever its cluster still answers."""

from types import SimpleNamespace

import pytest

from failure_sections import show_beside


def gone() -> str:
    raise FileNotFoundError("operator.log")


@pytest.mark.parametrize(
    ("words", "want"),
    [
        pytest.param(lambda: "the last words", "the last words", id="what was written"),
        pytest.param(gone, "This can't be read: FileNotFoundError('operator.log')", id="nothing can be read"),
    ],
)
def test_section_says_what_was_written_or_why_that_is_not_known(words, want):
    report = SimpleNamespace(sections=[])

    show_beside(report, "The operator's log", words)

    assert report.sections == [("The operator's log", want)]
