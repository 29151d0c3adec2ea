"""What a person sees who simulates sweeps, and pieces that are dealt."""

import pytest
from click.testing import CliRunner

from lockstep.cli import main


def simulated(*options):
    return CliRunner().invoke(main, ["simulate", *options])


def test_sweep_has_a_table_for_each_number_of_replicas_and_is_the_same_each_time():
    options = ["sweep", "--replicas", "3", "--replicas", "5", "--run-times", "noise", "--seeds", "2"]
    first, again = (simulated(*options) for _ in range(2))

    assert first.exit_code == 0, first.output
    tables = [table.splitlines() for table in first.stdout.split("\n\n")]
    assert [table[0] for table in tables] == ["Replicas 3", "Replicas 5"]
    for table in tables:
        assert [line.split()[0] for line in table[1:]] == ["policy", "fni-sa", "fni-da", "fni-dac", "common"]
    assert first.stdout == again.stdout


def counted(policy, *options):
    result = simulated("sweep", "--run-times", "exponential", "--seeds", "4", "--policy", policy, *options)
    assert result.exit_code == 0, result.output
    return float(result.stdout.splitlines()[-1].split()[-2])


def test_runs_that_end_first_are_shorter_than_those_that_begin_first():
    """The bias that FNI avoids: whatever goes with a short run time counts too often."""
    options = ["--runs", "12", "--first", "6", "--clusters", "6", "--times", "1:100"]

    assert counted("common", *options) < 0.8 < counted("fni-da", *options)


def test_speed_up_is_drawn_by_seed_where_only_the_serial_time_is_given():
    options = ["sweep", "--serial-time", "1h", "--runs", "4", "--clusters", "8", "--policy", "common"]
    one, other = (simulated(*options, "--seed", seed).stdout for seed in ("1", "2"))

    assert one.splitlines()[0] == other.splitlines()[0]
    assert one != other


def test_sweep_among_other_jobs_says_how_these_do():
    options = ["--runs", "3", "--clusters", "8", "--among", "6", "--times", "1:600,2:330"]
    result = simulated("sweep", *options)

    assert result.exit_code == 0, result.output
    assert [line.split()[0] for line in result.stdout.splitlines()] == ["policy", "separate", "once", "common"]
    assert "other jobs" in result.stdout


def test_model_that_finds_no_room_is_refused_with_a_sentence():
    result = simulated("sweep", "--clusters", "1", "--among", "6")

    assert result.exit_code == 1
    assert "there is only one node." in result.stderr


def test_dealing_has_a_line_for_each_error_of_the_speeds():
    result = simulated("dealing", "--off", "0", "--off", "0.2", "--seeds", "5")

    assert result.exit_code == 0, result.output
    assert [line.split()[0] for line in result.stdout.splitlines()] == ["speeds", "0%", "20%"]
    assert simulated("dealing", "--off", "0.2", "--seeds", "5", "--lose").stdout != result.stdout


@pytest.mark.parametrize(
    ("options", "want"),
    [
        pytest.param(
            ["sweep", "--first", "11"], "--first is 11, but the sweep has only 10 runs.", id="more count than run"
        ),
        pytest.param(
            ["sweep", "--clusters", "24,2", "--times", "3:5"],
            "Cluster 2 has 2 nodes, and needs at least 3.",
            id="cluster without room",
        ),
        pytest.param(
            ["sweep", "--clusters", "1", "--alien"],
            "Cluster 1 has 1 node, and needs at least 2.",
            id="no room beside an alien program",
        ),
        pytest.param(["sweep", "--clusters", "24x"], "'24x' is neither a number of nodes", id="no cluster"),
        pytest.param(["sweep", "--times", "3"], "'3' is not a size with its seconds", id="no time"),
        pytest.param(["sweep", "--times", "3:0"], "'3:0' is not a size with its seconds", id="time of 0"),
        pytest.param(["sweep", "--times", "3:1,3:2"], "size 3 is given twice", id="size twice"),
        pytest.param(["sweep", "--serial-time", "0"], "must be above 0", id="no serial time"),
        pytest.param(["sweep", "--serial-time", "1h", "--alien"], "--alien needs --times", id="alien without sizes"),
        pytest.param(
            ["sweep", "--among", "5", "--policy", "fni-sa"],
            "--among works only with the policies separate",
            id="among replicas",
        ),
        pytest.param(["dealing", "--piece-time", "0"], "must be above 0", id="no piece time"),
        pytest.param(["dealing", "--nodes", "1", "--lose"], "--lose needs two nodes at least.", id="last member lost"),
        pytest.param(
            ["--jobs", "9", "sweep"], "--jobs is not an option of lockstep simulate sweep.", id="option of queues"
        ),
    ],
)
def test_options_that_make_no_sense_are_refused_with_a_sentence(options, want):
    result = simulated(*options)

    assert result.exit_code == 2
    assert want in result.stderr
