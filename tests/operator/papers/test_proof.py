"""What the papers print: every exact row holds, and a row that does not is found."""

import runpy
from dataclasses import replace
from pathlib import Path

from click.testing import CliRunner

from lockstep.cli import main
from lockstep.papers.mechanisms.mechanism import MechanismState
from lockstep.papers.proof import MECHANISMS, failures, rows
from lockstep.papers.row import Mark, Paper, Printed, Tolerance, decimal, erratum, in_shape
from lockstep.papers.text import lines, markdown

DOCS = Path(__file__).parents[3] / "docs"


def test_every_row_holds_and_names_what_the_issue_of_a_wrong_one_is():
    found = rows()

    assert list(found) == list(Paper)
    assert list(failures(found)) == []
    assert all(row.note for of_paper in found.values() for row in of_paper if row.is_wrong or row.mark is Mark.MISSING)


def test_errata_of_rows_stand_in_the_documentation():
    page = (DOCS / "algorithms.md").read_text().partition("## Errata")[2]
    named = {
        word.strip("()")
        for of_paper in rows().values()
        for row in of_paper
        for word in row.note.partition("(erratum ")[2].split()[:1]
    }

    assert {"1", "2", "3", "4", "5", "6", "7", "8a", "8c", "8d", "8e", "8f", "8g"} == named
    assert [one for one in named if f"\n| {one} |" not in page] == []


def test_row_that_does_not_hold_is_a_sentence_and_ends_the_command(monkeypatch):
    [first, *others] = rows()[Paper.DU]
    right_where_wrong_is_expected = replace(others[-1], mark=Mark.EXACT, printed="1", ours="1", is_wrong=True)
    off = {Paper.DU: [replace(first, printed="0.2, 11"), right_where_wrong_is_expected]}
    monkeypatch.setattr("lockstep.cli.offline.papers.rows", lambda: off)

    result = CliRunner().invoke(main, ["papers"])

    assert len(list(failures(off))) == 2
    assert result.exit_code == 1
    assert "9A+B+G: 0.2, 11 is printed, 0.1, 11 is ours; they must agree." in result.output


def test_simulated_row_beyond_its_tolerance_does_not_hold():
    near, far = (in_shape(Paper.DU, "9", "halves", Printed(0.5, 0.6), ours, Tolerance(0.1, 7)) for ours in (0.69, 0.71))

    assert (near.printed, near.ours, near.note, near.holds) == ("0.5 to 0.6", "0.69", "within 0.1, seed 7", True)
    assert not far.holds
    assert "they must agree within 0.1, seed 7." in next(failures({Paper.DU: [near, far]}))


def test_command_prints_every_row_in_a_terminal_and_counts_them():
    result = CliRunner().invoke(main, ["papers"])

    assert result.exit_code == 0
    assert "speed-up of 60 nodes after 5 min, duty cycle 0.6: 20.5 is printed, Lockstep has 28.6" in result.output
    shown = [line for line in result.output.splitlines() if line.startswith((*Mark, *MechanismState))]
    assert len(shown) == sum(map(len, (*rows().values(), *MECHANISMS.values())))


def test_page_is_what_the_rows_say():
    page = runpy.run_path(str(DOCS / "make_papers.py"))["document"]()

    assert (DOCS / "papers.md").read_text(encoding="utf-8") == page


def test_what_a_row_prints_stands_in_the_line_and_in_the_table():
    row = erratum(Paper.DU, "9", "halves", "0.5", "0.4", "since")

    [title, line, _] = lines({Paper.DU: [row]})
    assert title.startswith("[D] Du")
    assert line == "exact     9, halves: 0.5 is printed, Lockstep has 0.4: since."
    assert markdown({Paper.DU: [row]}).endswith("| 9 | halves | 0.5 | 0.4 | exact: since |\n")


def test_decimals_are_rounded_as_in_papers():
    assert [decimal(number, 1) for number in (40, 35.25, 0.04, 28.571)] == ["40", "35.3", "0", "28.6"]
