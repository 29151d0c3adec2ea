"""Which runs learn_from what, beside what their status says of the plan that they had."""

import math

import pytest

from builders.facts import DEFAULT, gang_fact, gang_spec, node_fact, profile_work, reservation, role_spec
from coschedule import Load, SerialWork
from lockstep.belief.run_times.past_runs import PastRuns
from lockstep.cycle.placed.run_time_learning import learn_from, observation_of
from lockstep.facts.gang.status import GangStatus
from lockstep.facts.past_runs import KIND_LABEL, PastRun

HEAT = "0" * 32
START = 1_800_000_000.0


def learned(
    *, run_time=300.0, finish=START + 200, attempt=1, factor=None, template=HEAT, work=None, roles=(), nodes=(), **held
):
    past = PastRuns(lambda: None)
    spec = gang_spec(run_template=template, work=work, roles=roles)
    gang = gang_fact("g", spec=spec, status=GangStatus(run_time_factor=factor))
    held_by = reservation(start=START, finish=finish, attempt=attempt, **held)
    learn_from(past, observation_of(gang, held_by, run_time, {node.name: node for node in nodes}))
    return past.runs


@pytest.mark.parametrize(
    ("more", "want"),
    [
        pytest.param({}, 1500, id="as it was stated"),
        pytest.param({"factor": "2"}, 3000, id="without what was learnt before"),
        pytest.param({"factor": "0.5"}, 750, id="also where runs were shorter"),
        pytest.param({"factor": "0.000"}, 1500, id="factor that was not written here"),
        pytest.param({"run_time": -5.0}, 1, id="clock that was set back"),
        pytest.param({"run_time": 1e12}, 1_000_000, id="run without end"),
        pytest.param({"run_time": 10.0, "finish": START + 10}, 1000, id="shortest that counts"),
    ],
)
def test_factor_is_learned_from_how_many_times_as_long_a_run_took_as_stated(more, want):
    assert learned(**more) == {DEFAULT: {HEAT: (PastRun(want),)}}


@pytest.mark.parametrize(
    "more",
    [
        pytest.param({"finish": None}, id="unknown run time"),
        pytest.param({"template": ""}, id="no template"),
        pytest.param({"attempt": 2}, id="second attempt"),
        pytest.param({"finish": START + 9}, id="too short to be timed"),
        pytest.param({"finish": START + 90, "factor": "10"}, id="stated too short to be timed"),
        pytest.param({"finish": START - 1}, id="expected before it began"),
        pytest.param({"factor": "9" * 32}, id="factor out of this world"),
    ],
)
def test_nothing_is_learned_from_the_run(more):
    assert learned(**more) == {}


def test_size_time_and_slow_down_of_its_nodes_are_learned_from_a_run():
    work = SerialWork(serial=200, fixed=20)

    # Four members take 70 s on idle nodes; 105 s are 1.5 times that.
    found = learned(work=work, finish=START + 105, run_time=210.0, members=[("a", 3), ("b", 1)])

    assert found == {DEFAULT: {HEAT: (PastRun(2000, members=4, slowdown=1500, milliseconds=210_000),)}}


def test_slow_down_is_that_of_the_nodes_whatever_was_learnt_before():
    found = learned(work=SerialWork(serial=400), finish=START + 240, factor="2", run_time=300.0, members=[("a", 4)])

    assert found == {DEFAULT: {HEAT: (PastRun(2500, members=4, slowdown=1200, milliseconds=300_000),)}}


def test_members_without_a_part_of_the_work_do_not_count():
    roles = [role_spec("launcher", size=1, load=Load.NONE), role_spec("worker", size=2)]
    members = [("a", 1, None, "launcher"), ("a", 2, None, "worker")]

    [run] = learned(work=SerialWork(serial=400), roles=roles, members=members, run_time=200.0)[DEFAULT][HEAT]

    assert (run.members, run.slowdown) == (2, 1000)


@pytest.mark.parametrize(
    ("run_time", "want"), [(1e9, 10**12), (1e15, 10**12), (math.inf, 10**12), (1e-9, 1), (-3600.0, 1)], ids=str
)
def test_times_out_of_this_world_are_kept_within_bounds(run_time, want):
    """Also those of a clock that was stepped while the gang ran."""
    [run] = learned(work=SerialWork(serial=400), members=[("a", 2)], run_time=run_time)[DEFAULT][HEAT]

    assert run.milliseconds == want


def test_factor_alone_is_learned_for_a_size_that_the_work_has_no_time_for():
    work = profile_work({3: 40.0, 8: 20.0})

    assert learned(work=work, members=[("a", 2)]) == {DEFAULT: {HEAT: (PastRun(1500),)}}
    assert learned(work=work, members=[("a", 9)]) == {DEFAULT: {HEAT: (PastRun(1500),)}}


def of_kind(name, kind):
    return node_fact(name, labels={} if kind is None else {KIND_LABEL: kind})


@pytest.mark.parametrize(
    ("kinds", "want"),
    [
        pytest.param(["m5.large", "m5.large"], "m5.large", id="one kind"),
        pytest.param(["m5.large", "gpu"], "", id="two kinds"),
        pytest.param(["m5.large", None], "", id="a node without"),
        pytest.param([None, None], "", id="nodes without"),
        pytest.param(["", ""], "", id="an empty one"),
        pytest.param(["k" * 63, "k" * 63], "k" * 63, id="a long one"),
        pytest.param(["two words", "two words"], "", id="no value of a label"),
        pytest.param(["m5,large", "m5,large"], "", id="a comma"),
        pytest.param(["m5.large"], "", id="a node that is gone"),
    ],
)
def test_kind_is_learned_from_a_run_whose_nodes_were_all_of_one(kinds, want):
    nodes = [of_kind(f"n{number}", kind) for number, kind in enumerate(kinds)]

    runs = learned(work=SerialWork(serial=200), members=(("n0", 1), ("n1", 1)), nodes=nodes)

    [run] = runs[DEFAULT][HEAT]
    assert run.kind == want


def test_kind_of_members_without_a_part_of_the_work_does_not_count():
    roles = [role_spec("launcher", size=1, load=Load.NONE), role_spec("worker", size=1)]
    nodes = [of_kind("n0", "small"), of_kind("n1", "large")]

    runs = learned(
        work=SerialWork(serial=200),
        roles=roles,
        members=(("n0", 1, None, "launcher"), ("n1", 1, None, "worker")),
        nodes=nodes,
    )

    [run] = runs[DEFAULT][HEAT]
    assert run.kind == "large"
