"""What a person sees who simulates."""

import csv
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from eventually import eventually
from lockstep.cli import main

SMALL = ["--jobs", "40", "--nodes", "16", "--load", "0.9", "--seeds", "2"]
# For policies that take long to plan.
SMALLER = ["--jobs", "20", "--nodes", "8", "--load", "0.9", "--seeds", "2"]
JOB = "{number} {at} -1 {seconds} {size} -1 -1 {size} -1 -1 1 1 1 1 1 -1 -1 -1"


def simulated(*options):
    return CliRunner().invoke(main, ["simulate", *options])


def test_table_has_a_line_for_each_policy_and_is_the_same_each_time():
    first, again = (simulated(*SMALL, "--policy", "easy", "--policy", "balanced") for _ in range(2))

    assert first.exit_code == 0, first.output
    tables = [table.splitlines() for table in first.stdout.split("\n\n")]
    assert [table[0].split()[0] for table in tables] == ["policy", "slow-down", "of", "policy"]
    assert [line.split()[0] for table in tables[:3] for line in table[1:]] == ["easy", "balanced"] * 3
    assert [line.split()[0] for line in tables[3][1:]] == ["balanced"]
    assert "1.00 ±0.00" in tables[0][1]
    assert first.stdout == again.stdout


def test_groups_have_a_table_of_the_price_of_fairness():
    result = simulated(*SMALLER, "--groups", "1@0.7,1@0.3", "--policy", "easy", "--policy", "fair")

    assert result.exit_code == 0, result.output
    [table] = [lines for lines in (text.splitlines() for text in result.stdout.split("\n\n")) if "worst" in lines[0]]
    assert [part.strip() for part in table[0].split("  ") if part] == [
        "policy",
        "worst group/mean",
        "index by share",
        "turnaround",
    ]
    assert [line.split()[0] for line in table[1:]] == ["easy", "fair"]
    assert not any("nan" in line for line in table[1:])
    assert "worst" not in simulated(*SMALLER, "--policy", "easy").stdout


def test_files_have_every_job_of_every_policy_and_seed(tmp_path):
    result = simulated(*SMALL, "--policy", "easy", "--policy", "fewest", "--out", str(tmp_path / "new"))

    assert result.exit_code == 0, result.output
    with (tmp_path / "new/jobs.csv").open() as file:
        jobs = list(csv.DictReader(file))
    with (tmp_path / "new/summary.csv").open() as file:
        summary = list(csv.DictReader(file))
    assert len(jobs) == 2 * 2 * 40
    assert [(row["load"], row["policy"], row["seed"]) for row in summary] == [
        ("0.9", "easy", "1"),
        ("0.9", "easy", "2"),
        ("0.9", "fewest", "1"),
        ("0.9", "fewest", "2"),
    ]


def test_ratios_are_those_of_each_seed(tmp_path):
    simulated(*SMALL, "--policy", "easy", "--policy", "balanced", "--out", str(tmp_path))

    with (tmp_path / "summary.csv").open() as file:
        turnarounds = {(row["policy"], row["seed"]): float(row["mean_turnaround"]) for row in csv.DictReader(file)}
    with (tmp_path / "means.csv").open() as file:
        means = {(row["policy"], row["measure"]): row for row in csv.DictReader(file)}
    ratios = [turnarounds["balanced", seed] / turnarounds["easy", seed] for seed in ("1", "2")]
    assert float(means["balanced", "mean_turnaround"]["ratio"]) == pytest.approx(sum(ratios) / 2)
    assert float(means["easy", "mean_turnaround"]["ratio_error"]) == 0
    assert means["easy", "promises_kept"]["mean"] == "nan"


def test_every_load_has_its_tables():
    result = simulated("--jobs", "20", "--nodes", "8", "--load", "0.9", "--load", "0.5", "--policy", "easy")

    assert [line for line in result.stdout.splitlines() if line.startswith("Load")] == ["Load 0.9", "Load 0.5"]


def test_processes_change_nothing_but_the_time():
    alone = simulated(*SMALL, "--policy", "easy", "--policy", "fewest", "--run-times", "noise", "--quantile", "0.9")
    beside = simulated(
        *SMALL,
        "--policy",
        "easy",
        "--policy",
        "fewest",
        "--run-times",
        "noise",
        "--quantile",
        "0.9",
        "--processes",
        "2",
    )

    assert alone.exit_code == beside.exit_code == 0, beside.output
    assert alone.stdout == beside.stdout


def seconds_of_processor(pid):
    """How long a process has worked so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_interrupted_it_ends_with_all_of_its_processes():
    command = [sys.executable, "-m", "lockstep", "simulate", "--jobs", "5000", "--load", "2", "--processes", "2"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, start_new_session=True, text=True) as process:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        # One helper beside the two, which simulate once they have worked for longer than it takes them to start.
        eventually(lambda: sum(seconds_of_processor(pid) > 2 for pid in children.read_text().split()) == 2, seconds=120)
        process.send_signal(signal.SIGINT)
        _, printed = process.communicate(timeout=300)

    assert process.returncode == 1
    assert printed.endswith("Aborted!\n")


def test_owners_who_come_unannounced_have_a_table_and_the_same_each_time():
    options = [*SMALLER, "--owners", "0.5@habits", "--interruptible", "Checkpointed", "--checkpoint-interval", "10m"]
    first, again = (simulated(*options, "--policy", "easy", "--policy", "lockstep") for _ in range(2))

    assert first.exit_code == 0, first.output
    [table] = [table.splitlines() for table in first.stdout.split("\n\n") if "work lost" in table]
    assert [line.split()[0] for line in table] == ["policy", "easy", "lockstep"]
    assert table[0].endswith("promises broken after an owner's return")
    assert first.stdout == again.stdout


def test_recorded_owners_are_followed_and_their_mistakes_are_reported(tmp_path):
    hours = range(5 * 7 * 24)
    lines = [f"pc1,{hour * 3600},{int(hour % 24 in {9, 10, 11})}" for hour in hours]
    series = tmp_path / "owners.csv"
    series.write_text("\n".join(["node,time,present", *lines, "pc1,today,1"]))

    result = simulated(*SMALL, "--owners", str(series), "--policy", "easy", "--out", str(tmp_path))

    assert result.exit_code == 0, result.output
    assert "line 842: Invalid isoformat string: 'today'; it is left out." in result.stderr
    with (tmp_path / "jobs.csv").open() as file:
        assert any(int(row["interruptions"]) for row in csv.DictReader(file))


def test_sizes_that_only_go_up_are_never_below_what_is_asked_for(tmp_path):
    options = ["--policy", "easy", "--policy", "fewest", "--sizes-up-only", "--out", str(tmp_path)]
    result = simulated(*SMALL, *options)

    assert result.exit_code == 0, result.output
    with (tmp_path / "jobs.csv").open() as file:
        sizes = {(row["policy"], row["seed"], row["job"]): row["size"] for row in csv.DictReader(file)}
    assert all(sizes["fewest", seed, job] == size for (_, seed, job), size in sizes.items())


def test_trace_is_replayed_and_its_mistakes_are_reported(tmp_path):
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
    # The second waits 10 s: 5 s on average, 9.5 s by interpolation at 95 %, and 20 s from submission to end.
    assert result.stdout.splitlines()[1].split()[:6] == ["fcfs", "5", "s", "10", "s", "20"]
    # Both jobs are of one user.
    assert result.stdout.splitlines()[1].split()[-1] == "100%"


def test_mark_that_editors_put_before_a_trace_is_no_part_of_its_first_line(tmp_path):
    trace = tmp_path / "log.swf"
    lines = [JOB.format(number=number, at=0, seconds=10, size=1) for number in (1, 2)]
    trace.write_text("\n".join(lines), encoding="utf-8-sig")

    result = simulated("--trace", str(trace), "--nodes", "4", "--policy", "fcfs", "--seeds", "1")

    assert result.exit_code == 0, result.output
    assert str(trace) not in result.stderr


def test_what_is_left_out_of_a_trace_is_reported_by_number_and_reason(tmp_path):
    trace = tmp_path / "log.swf"
    jobs = [(1, 0, 10, 4), (2, 0, 20, 4), (3, 0, -1, 4), (4, 0, 0, 4), (5, 0, -7, 4), (6, 0, 10, 512), (7, 0, 9, 5)]
    lines = [JOB.format(number=number, at=at, seconds=seconds, size=size) for number, at, seconds, size in jobs]
    trace.write_text("\n".join(["; MaxProcs: 512", *lines, *["nonsense"] * 100]))

    result = simulated("--trace", str(trace), "--nodes", "4", "--policy", "fcfs", "--seeds", "1")

    assert result.exit_code == 0, result.output
    printed = [line.removeprefix(f"{trace}: ") for line in result.stderr.splitlines() if line.startswith(str(trace))]
    assert printed[0] == (
        "line 6 has -7 as its run time, which must be from 0 to 1e+12, or -1 if unknown; it is left out."
    )
    assert printed[1] == "line 9 has 1 fields, not 18; it is left out."
    assert printed[-3:] == [
        "81 more lines are wrong, and left out.",
        "jobs are left out: 1 with a run time of 0, 1 without a run time.",
        "2 jobs are too large for 4 nodes, and left out; the machine of the log had 512 processors.",
    ]
    assert len(printed) == 20 + 3


@pytest.mark.parametrize(
    ("nodes", "want"),
    [
        pytest.param("16", "1 job fits on 16 nodes, and two at least are needed.", id="several nodes"),
        pytest.param("1", "0 jobs fit on 1 node, and two at least are needed.", id="one node"),
    ],
)
def test_trace_of_too_few_jobs_is_one_sentence(tmp_path, nodes, want):
    trace = tmp_path / "log.swf"
    trace.write_text(JOB.format(number=1, at=0, seconds=10, size=4))

    result = simulated("--trace", str(trace), "--nodes", nodes)

    assert result.exit_code == 1
    assert result.stderr.endswith(f"Error: {want}\n")


@pytest.mark.parametrize(
    ("options", "want"),
    [
        pytest.param(["--nodes", "many"], "'many' is neither a number of nodes", id="nodes"),
        pytest.param(
            ["--nodes", "1"], "the model draws jobs of several members, and there is only one node.", id="one node"
        ),
        pytest.param(["--owners", "all"], "'all' is not a share of the nodes and two hours", id="owners"),
        pytest.param(
            ["--owners", "/dev/null"], "nor a share with habits, such as 0.25@habits, nor a file", id="no owners"
        ),
        pytest.param(["--owners", __file__], "the first line is neither node,time,present nor", id="no series"),
        pytest.param(
            ["--interruptible", "Checkpointed", "--checkpoint-interval", "0"],
            "--checkpoint-interval must be positive.",
            id="no interval",
        ),
        pytest.param(["--duty-cycle", "nan"], "nan is not a number", id="no duty cycle"),
        pytest.param(
            ["--owners", "1@1-23", "--nodes", "4x0.01", "--jobs", "20", "--policy", "easy"],
            "jobs run longer than any nodes are free.",
            id="too much of owners",
        ),
        pytest.param(["--policy", "best"], "'best' is not one of", id="policy"),
        pytest.param(["--load", "0"], "0.0 is not in the range", id="load"),
        *(
            pytest.param([option, "nan"], f"Invalid value for '{option}': nan is not a number", id=f"{option} nan")
            for option in ("--load", "--price-factor", "--sizes", "--serial-share", "--quantile")
        ),
        pytest.param(
            ["--out", "/dev/null/new"], "The folder /dev/null/new can't be created: Not a dir", id="no folder"
        ),
        pytest.param(["--trace", "/nowhere/log.swf"], "No such file", id="no file"),
        pytest.param(["--trace", "/dev/null"], "0 jobs fit on 128 nodes, and two at least are needed.", id="no jobs"),
        pytest.param(
            ["--trace", "/dev/null", "--templates", "3"],
            "--templates can't be used with --trace: the jobs of a log have templates of their own.",
            id="templates of a log",
        ),
    ],
)
def test_wrong_options_end_it_with_one_sentence(options, want):
    result = simulated(*options)

    assert result.exit_code != 0
    assert want in result.stderr
    assert "Traceback" not in result.stderr


def test_bound_stands_below_the_tables():
    result = simulated(*SMALLER, "--policy", "easy", "--policy", "elastic", "--bound")

    assert result.exit_code == 0, result.output
    [line] = [line for line in result.stdout.splitlines() if line.startswith("No schedule has a mean turnaround below")]
    assert line.endswith(" times that of the first policy.")
    assert 0 < float(line.split(": ")[1].split(" ")[0]) < 1


def test_elastic_jobs_change_their_sizes_and_others_do_not():
    shared, rigid = (simulated(*SMALLER, "--policy", "elastic", "--elastic-share", share) for share in ("1", "0"))

    assert "changes per job" in shared.stdout
    assert rigid.exit_code == 0, rigid.output
    assert "changes per job" not in rigid.stdout


@pytest.mark.parametrize("option", ["--restart-time", "--min-interval"])
def test_what_a_change_takes_is_a_duration(option):
    result = simulated(*SMALL, option, "soon")

    assert result.exit_code == 2
    assert "soon is not a duration such as 10m or 1h30m" in result.stderr
