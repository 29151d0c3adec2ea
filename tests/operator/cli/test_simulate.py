"""What a person sees who simulates."""

import csv

import pytest
from click.testing import CliRunner

from lockstep.cli import main

SMALL = ["--jobs", "40", "--nodes", "16", "--load", "0.9", "--seeds", "2"]
JOB = "{number} {at} -1 {seconds} {size} -1 -1 {size} -1 -1 1 1 1 1 1 -1 -1 -1"


def simulated(*options):
    return CliRunner().invoke(main, ["simulate", *options])


def test_table_has_a_line_for_each_policy_and_is_the_same_each_time():
    first, again = (simulated(*SMALL, "--policy", "easy", "--policy", "balanced") for _ in range(2))

    assert first.exit_code == 0, first.output
    assert [line.split()[0] for line in first.stdout.splitlines()] == ["policy", "easy", "balanced"]
    assert "1.00 ±0.00" in first.stdout.splitlines()[1]
    assert first.stdout == again.stdout


def test_files_have_every_job_of_every_policy_and_seed(tmp_path):
    result = simulated(*SMALL, "--policy", "easy", "--policy", "fewest", "--out", str(tmp_path / "new"))

    assert result.exit_code == 0, result.output
    with (tmp_path / "new/jobs.csv").open() as file:
        jobs = list(csv.DictReader(file))
    with (tmp_path / "new/summary.csv").open() as file:
        summary = list(csv.DictReader(file))
    assert len(jobs) == 2 * 2 * 40
    assert [(row["policy"], row["seed"]) for row in summary] == [
        ("easy", "1"),
        ("easy", "2"),
        ("fewest", "1"),
        ("fewest", "2"),
    ]


def test_trace_is_replayed_and_what_is_wrong_in_it_is_told(tmp_path):
    trace = tmp_path / "log.swf"
    trace.write_text(
        "\n".join(
            [
                "; MaxNodes: 4",
                JOB.format(number=1, at=0, seconds=10, size=4),
                JOB.format(number=2, at=0, seconds=20, size=4),
                "3 1",
            ]
        )
    )

    result = simulated("--trace", str(trace), "--nodes", "4", "--policy", "fcfs", "--seeds", "1")

    assert result.exit_code == 0, result.output
    assert "line 4 has 2 fields, not 18; it is left out." in result.stderr
    # The second waits 10 s: 5 s on average, and 20 s from submission to end.
    assert result.stdout.splitlines()[1].split()[:5] == ["fcfs", "5", "s", "20", "s"]


@pytest.mark.parametrize(
    ("options", "want"),
    [
        pytest.param(["--nodes", "many"], "'many' is no number of nodes", id="nodes"),
        pytest.param(
            ["--nodes", "1"], "the model draws jobs of several members, and there is one node.", id="one node"
        ),
        pytest.param(["--policy", "best"], "'best' is not one of", id="policy"),
        pytest.param(["--load", "0"], "0.0 is not in the range", id="load"),
        pytest.param(["--trace", "/nowhere/log.swf"], "No such file", id="no file"),
        pytest.param(["--trace", "/dev/null"], "0 jobs fit on 128 nodes, and two at least are needed.", id="no jobs"),
    ],
)
def test_wrong_options_end_it_with_one_sentence(options, want):
    result = simulated(*options)

    assert result.exit_code != 0
    assert want in result.stderr
    assert "Traceback" not in result.stderr
