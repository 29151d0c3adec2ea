"""Runs as a status has them: read again as they were, and nothing else is accepted."""

import random

import pytest
import yaml

from docs.markdown import ROOT
from lockstep.api.gangjob.finished_runs import format_runs, parse_runs
from lockstep.facts.past_runs import MOST_RUNS, run_of

ONE = run_of(1.034, members=8, slowdown=1.5, seconds=94.2)
LARGEST = run_of(999.999, members=10_000, slowdown=999.999, seconds=999_999_999.999, kind="k" * 63)


def limits():
    """What the API server allows of the field."""
    crd = yaml.load((ROOT / "crds" / "gangjobs.yaml").read_text(), yaml.CSafeLoader)
    [version] = crd["spec"]["versions"]
    return version["schema"]["openAPIV3Schema"]["properties"]["status"]["properties"]["pastRuns"]


def test_runs_read_well():
    assert format_runs((ONE, run_of(0.97, members=4, slowdown=1, seconds=171))) == "8 94.2 1.5 1.034, 4 171 1 0.97"


def test_kind_of_nodes_comes_last():
    text = format_runs((ONE._replace(kind="m5.large"), ONE))

    assert text == "8 94.2 1.5 1.034 m5.large, 8 94.2 1.5 1.034"
    assert [run.kind for run in parse_runs(text)] == ["m5.large", ""]


def test_runs_of_which_only_the_factor_is_known_are_left_out():
    assert format_runs((run_of(2), ONE, run_of(3))) == "8 94.2 1.5 1.034"


def test_no_run_is_no_text():
    assert format_runs(()) == ""
    assert parse_runs("") == ()


def test_any_runs_are_read_as_they_were():
    rnd = random.Random(1)  # noqa: S311 - cases of a test are no secrets
    for _ in range(300):
        runs = tuple(
            run_of(
                10 ** rnd.uniform(-4, 4),
                members=rnd.randint(1, 10_000),
                slowdown=10 ** rnd.uniform(-4, 4),
                seconds=10 ** rnd.uniform(-4, 10),
            )
            for _ in range(rnd.randint(0, MOST_RUNS))
        )

        assert parse_runs(format_runs(runs)) == runs


def test_longest_text_has_its_place():
    assert len(format_runs((LARGEST,) * MOST_RUNS)) <= limits()["maxLength"]


@pytest.mark.parametrize(
    "text",
    [
        "garbage", "8", "8 94.2 1.5", "8 94.2 1.5 1.034,", "8 94.2 1.5 1.034 -7",
        "8 94.2 1.5 1.034 m5 large", "8 94.2 1.5 1.034 " + "k" * 64, "8 94.2 1.5 1.034,4 171 1 0.97",
        "0 94.2 1.5 1", "10001 94.2 1.5 1", "8 0 1.5 1", "8 94.2 0 1", "8 94.2 1.5 0", "8 94.2 1.5 1000.001",
        "8 1000000000.001 1.5 1", "-8 94.2 1.5 1", "8 94.2 1.5 1e3", "8 94.2 1.5 nan", "٨ 94.2 1.5 1",
        "8 94.2 1.5 1.0345", "9" * 2048, "\n8 94.2 1.5 1.034", "8 94.2 1.5 1.034\n",
    ],
)  # fmt: skip
def test_text_that_was_not_written_here_counts_for_nothing(text):
    assert parse_runs(text) == ()
    assert parse_runs(f"8 94.2 1.5 1.034, {text}") == ()


def test_more_runs_than_are_kept_count_for_nothing():
    assert parse_runs(", ".join(["8 94.2 1.5 1"] * (MOST_RUNS + 1))) == ()
