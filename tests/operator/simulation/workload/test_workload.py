"""Where jobs come from: the model's distributions, logs, and speed-ups."""

import numpy as np
import pytest

from lockstep.simulation.model.nodes import NodesError, slowdowns_of
from lockstep.simulation.model.speedup import amdahl, downey
from lockstep.simulation.workload.lublin99 import lublin99
from lockstep.simulation.workload.malleable import Malleability, malleable
from lockstep.simulation.workload.rigid import RigidJob, with_load
from lockstep.simulation.workload.swf import MOST_NAMED, Unused, read_log
from lockstep.simulation.workload.swf_line import WrongLineError, parse_line
from lockstep.simulation.workload.templates import as_runs

NODES = 128
JOBS = lublin99(20_000, NODES, np.random.default_rng(1))


def test_model_draws_the_same_jobs_from_the_same_seed():
    again, other = (lublin99(50, NODES, np.random.default_rng(seed)) for seed in (1, 2))

    assert again == JOBS[:50]
    assert other != JOBS[:50]


def test_sizes_are_those_of_the_published_model():
    sizes = np.array([job.size for job in JOBS])
    parallel = sizes[sizes > 1]

    assert (sizes.min(), sizes.max()) == (1, NODES)
    # 24.4 % are serial by design; of the others a few become so by rounding down.
    assert 0.24 < np.mean(sizes == 1) < 0.28
    # 57.6 % are powers of two by design, and some others by chance.
    assert 0.55 < np.mean(np.log2(parallel) % 1 == 0) * len(parallel) / len(sizes) < 0.70


def test_run_times_are_those_of_the_published_model():
    logs = np.log([job.seconds for job in JOBS])

    # A mixture of gamma(4.2, 0.94), of mean 3.9, and gamma(312, 0.03), of mean 9.4; small jobs have more of the first.
    assert np.all(logs <= 12.0)
    assert 5.0 < logs.mean() < 5.8
    small, large = (logs[[job.size in sizes for job in JOBS]] for sizes in ({1}, {64, 128}))
    assert small.mean() < large.mean()


def test_submissions_rise_and_come_in_the_rhythm_of_days():
    times = np.array([job.submitted for job in JOBS])
    hours = times % 86_400 // 3600
    by_day, by_night = (np.mean(np.isin(hours, of_day)) for of_day in (range(10, 18), range(2, 7)))

    assert np.all(np.diff(times) >= 0)
    assert by_day / 8 > 3 * by_night / 5


def test_load_stretches_the_time_between_submissions():
    jobs = [RigidJob(5.0, 2, 10.0), RigidJob(6.0, 1, 20.0), RigidJob(9.0, 4, 15.0)]

    stretched = with_load(jobs, 0.5, 4.0)

    # 100 node-seconds are half of what four nodes do in 50 s.
    assert [job.submitted for job in stretched] == [0.0, 12.5, 50.0]


def test_malleable_job_runs_as_long_as_the_rigid_one_with_its_size():
    jobs = malleable([RigidJob(0.0, 6, 100.0)], Malleability(factor=4), 20, np.random.default_rng(1))

    [job] = jobs
    assert (job.least, job.most, len(job.times)) == (2, 20, 20)
    assert job.times[job.size - 1] == 100.0
    assert np.all(np.diff(job.times) <= 0)


def test_jobs_are_runs_of_a_few_templates_that_differ_by_twenty_percent():
    patterns, runs = JOBS[:10], as_runs(JOBS, 10, np.random.default_rng(1))

    assert [run.submitted for run in runs] == [job.submitted for job in JOBS]
    assert {run.template for run in runs} == set(range(10))
    assert all(run.size == patterns[run.template].size for run in runs)
    logs = np.log([run.seconds / patterns[run.template].seconds for run in runs])
    assert logs.mean() == pytest.approx(0, abs=0.01)
    assert logs.std() == pytest.approx(0.2, abs=0.01)


def test_runs_of_a_template_speed_up_alike():
    jobs = malleable(as_runs(JOBS[:200], 4, np.random.default_rng(1)), Malleability(), NODES, np.random.default_rng(2))

    speedups = {}
    for job in jobs:
        speedups.setdefault(job.template, []).append(job.times[0] / job.times)
    assert len(speedups) == 4
    assert all(np.allclose(one, alike[0]) for alike in speedups.values() for one in alike)


@pytest.mark.parametrize(
    ("sigma", "want"),
    [
        pytest.param(0.0, [1, 2, 3, 4, 4, 4, 4, 4], id="linear up to the average parallelism"),
        pytest.param(1.0, [1, 16 / 9, 2.4, 32 / 11, 10 / 3, 3.69, 4, 4], id="some variance"),
        pytest.param(2.0, [1, 24 / 14, 36 / 16, 48 / 18, 3, 72 / 22, 84 / 24, 96 / 26], id="much variance"),
    ],
)
def test_downey(sigma, want):
    assert downey(8, 4.0, sigma) == pytest.approx(want, abs=0.01)


def test_amdahl():
    assert amdahl(4, 0.5) == pytest.approx([1, 4 / 3, 1.5, 1.6])


LOG = """\
; Version: 2.2
; MaxNodes: 128

1 0 10 100 4 -1 -1 8 200 -1 1 3 1 1 1 -1 -1 -1
2 5 -1 50 -1 -1 -1 2 60 -1 1 3 1 1 1 -1 -1 -1
3 6 -1 -1 4 -1 -1 4 60 -1 5 3 1 1 1 -1 -1 -1
4 7 -1 30 4
5 8 -1 thirty 4 -1 -1 4 60 -1 1 3 1 1 1 -1 -1 -1
6 2 -1 30.5 1 -1 -1 1 60 -1 1 -1 1 1 1 -1 -1 -1
"""


def test_log_is_read_by_submission_and_wrong_lines_are_named():
    log = read_log(LOG.splitlines())

    assert log.jobs == [
        RigidJob(0.0, 4, 100.0, requested=200.0, user=3, template=0, group=1),
        RigidJob(2.0, 1, 30.5, requested=60.0, group=1),
        RigidJob(5.0, 2, 50.0, requested=60.0, user=3, template=1, group=1),
    ]
    assert log.header == {"Version": "2.2", "MaxNodes": "128"}
    assert log.processors == 128
    assert log.unused == {Unused.RUN_TIME: 1}
    assert log.wrong == ["line 7 has 5 fields, not 18", "line 8 has 'thirty' as its run time, which is not a number"]


def test_machine_of_a_log_has_the_processors_of_the_header_where_that_is_a_number():
    headers = (["; MaxNodes: 4", ";MaxProcs:  64 "], ["; MaxProcs: many"], ["; MaxProcs: " + "9" * 5000], [])

    assert [read_log(header).processors for header in headers] == [64, None, None, None]


def test_all_fields_of_a_line_have_names_and_what_is_unknown_is_none():
    job = parse_line("1 20 3 40.5 5 6.25 700 8 90 1000 1 12 13 14 0 16 17 18")
    unknown = parse_line("-1 " * 17 + "-1.0")

    assert job._asdict() == {
        "job_number": 1,
        "submit_time": 20,
        "wait_time": 3,
        "run_time": 40.5,
        "allocated_processors": 5,
        "average_cpu_time": 6.25,
        "used_memory": 700,
        "requested_processors": 8,
        "requested_time": 90,
        "requested_memory": 1000,
        "status": 1,
        "user": 12,
        "group": 13,
        "executable": 14,
        "queue": 0,
        "partition": 16,
        "preceding_job": 17,
        "think_time": 18,
    }
    assert set(unknown) == {None}


@pytest.mark.parametrize("field", range(18))
@pytest.mark.parametrize("word", ["nan", "inf", "-inf", "1e999", "1e13", "-2", "-0.5"])
def test_number_out_of_this_world_makes_a_line_wrong_in_every_field(field, word):
    words = ["1"] * 18
    words[field] = word

    with pytest.raises(WrongLineError, match=r"which must be from 0 to 1e\+12, or -1 if unknown"):
        parse_line(" ".join(words))


@pytest.mark.parametrize(
    ("line", "want"),
    [
        pytest.param("1 2 3", "has 3 fields, not 18", id="too few fields"),
        pytest.param("1 " * 19, "has 19 fields, not 18", id="too many fields"),
        pytest.param("1 " * 17 + "x" * 99, f"has '{'x' * 40}' as its think time, which is not a number", id="a word"),
        pytest.param("1 " * 17 + "\x1b[2J", r"has '\x1b[2J' as its think time, which is not a number", id="an escape"),
        pytest.param("1 " * 17 + "1_0", "has '1_0' as its think time, which is not a number", id="digits of a program"),
        pytest.param(
            "1 " * 17 + "\u0661", "has '\u0661' as its think time, which is not a number", id="another script"
        ),
        pytest.param(
            "1 1 1 1 2.5 " + "1 " * 13, "has 2.5 as its allocated processors, which must be a whole number", id="half"
        ),
        pytest.param("1 0 0 10 0 1 1 4 " + "1 " * 10, "has 0 processors, but ran", id="no processor was allocated"),
        pytest.param("1 0 0 10 4 1 1 0 " + "1 " * 10, "has 0 processors, but ran", id="no processor was asked for"),
    ],
)
def test_wrong_line_says_why(line, want):
    with pytest.raises(WrongLineError) as raised:
        parse_line(line)

    assert str(raised.value) == want


def test_jobs_that_lack_what_is_needed_are_counted_by_what_that_is():
    rest = "-1 1 1 1 1 1 -1 -1 -1"
    lines = [
        f"1 -1 -1 10 4 -1 -1 4 -1 {rest}",
        f"2 0 -1 -1 4 -1 -1 4 -1 {rest}",
        f"3 0 -1 10 -1 -1 -1 -1 -1 {rest}",
        f"4 0 -1 0 0 -1 -1 4 -1 {rest}",
        f"5 0 -1 0 4 -1 -1 4 -1 {rest}",
    ]

    log = read_log(lines)

    assert (log.jobs, log.wrong) == ([], [])
    assert log.unused == {Unused.SUBMIT_TIME: 1, Unused.RUN_TIME: 1, Unused.PROCESSORS: 1, Unused.RUN: 2}


def test_file_that_is_no_log_has_its_first_lines_named_and_the_others_counted():
    log = read_log(f"line {number}" for number in range(5000))

    assert (len(log.wrong), log.wrong_lines) == (MOST_NAMED, 5000)


def test_nodes_of_several_speeds_are_read_the_fastest_first():
    assert slowdowns_of("2x1, 1x2,1").tolist() == [0.5, 1.0, 1.0, 1.0]


def test_speeds_out_of_this_world_are_refused():
    with pytest.raises(NodesError, match=r"'4x0\.0001': speeds are from 0\.001 to 1000"):
        slowdowns_of("8,4x0.0001")


@pytest.mark.parametrize("text", ["", "0", "x2", "4x0", "4x-1", "4,,4", "four", "9999999", "4x1e9"])
def test_wrong_nodes_are_refused(text):
    with pytest.raises(NodesError, match="is neither a number of nodes"):
        slowdowns_of(text)


def test_jobs_of_a_log_are_runs_of_a_template_where_user_executable_size_and_requested_time_agree():
    line = "{} 0 -1 50 {} -1 -1 4 {} -1 1 {} 1 {} 1 -1 -1 -1"
    kinds = [(4, 60, 1, 7), (4, 60, 1, 7), (8, 60, 1, 7), (4, 90, 1, 7), (4, 60, 2, 7), (4, 60, 1, 8)]
    unknown = [(4, 60, -1, 7), (4, 60, 1, -1)]

    log = read_log(line.format(number, *kind) for number, kind in enumerate(kinds + unknown))

    assert [job.template for job in log.jobs] == [0, 0, 1, 2, 3, 4, None, None]
