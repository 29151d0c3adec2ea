"""Which gangs may change their size in a plan, and what the snapshot says of them."""

import math
from collections import Counter
from dataclasses import replace

import pytest

from builders.notices import READS
from builders.served import at, gang, node, owned_by, pod, priority_class
from coschedule import Constraints, ElasticRun, OpenEndedRun, Release, Sizes, UnitTime
from lockstep.api.cluster.cluster import parse_priority_class
from lockstep.api.cluster.node import parse_node
from lockstep.api.cluster.quota import parse_quota
from lockstep.api.gangjob.gangjob import parse_gang
from lockstep.api.pods.pod import parse_pod
from lockstep.api.quantities import epoch_seconds
from lockstep.belief.common.steps import at_once
from lockstep.belief.holding.reservation import reserved_in_status
from lockstep.belief.state import State
from lockstep.snapshot.holders.directions import directions
from lockstep.snapshot.snapshots import SnapshotCutter

PLACED = {"type": "Placed", "status": "True", "reason": "Bound", "lastTransitionTime": at(0)}
UNDOING = {"type": "Placed", "status": "False", "reason": "Undoing", "lastTransitionTime": at(0)}
RUNS = {
    "attempt": 1,
    "members": [{"node": "n1", "count": 2}, {"node": "n3", "count": 1}],
    "reservedAt": at(0),
    "start": at(0),
    "startedAt": at(0),
    "expectedFinish": at(3600),
    "conditions": [PLACED],
}
HOURS = {"serialTime": "3h"}
NEXT = {
    "size": 2,
    "members": [{"node": "n1", "count": 2}],
    "decidedAt": at(890),
    "beginsAt": at(1010),
    "why": "shrinks",
}
ELASTIC = {"mode": "Restart", "restartTime": "90s", "minInterval": "5m"}
PLACES = ("n1", "n1", "n3")
NOW = epoch_seconds(at(900))


class Watch:
    """Keeps what is found while a snapshot is drawn."""

    def __init__(self):
        self.runs = None

    def froze_amounts(self, left_out):
        assert not left_out

    def found_elastic(self, runs):
        self.runs = runs


def with_four_nodes():
    """A state without a gang."""
    state = State(lambda: None)
    for number in range(1, 5):
        state.nodes.apply(parse_node(node(f"n{number}", cpu="8")))
    return state


def running(*, status=None, spec=None, size=1, most=8, phase="Running", work=HOURS):
    """A state with a gang of three that runs on two of four nodes."""
    state = with_four_nodes()
    terms = {**({"work": work} if work else {}), "elastic": ELASTIC}
    manifest = gang("g", size=size, most=most, spec={**terms, **(spec or {})}, status={**RUNS, **(status or {})})
    state.apply_gang(parse_gang(manifest, None))
    for rank, place in enumerate(PLACES):
        state.apply_pod(parse_pod(pod(f"g-1-{rank}", node=place, phase=phase, **owned_by("g", rank=rank))))
    return state


def drawn(state, *waiting, now=NOW):
    """The snapshot with these gangs that wait, and the gangs that may change their size."""
    watch = Watch()
    snapshot = at_once(SnapshotCutter(state).drawn(now, waiting, watch=watch))
    return snapshot, watch.runs


def test_plan_knows_what_is_left_and_where_the_members_are():
    snapshot, [run] = drawn(running())

    assert (run.nodes, run.size, run.constraints) == ((0, 0, 2), 3, Constraints())
    assert (run.sizes.minimum, run.sizes.maximum) == (1, 8)
    assert run.left == pytest.approx(0.75)
    assert run.end == epoch_seconds(at(3600))
    assert (run.terms.restart_time, run.terms.min_interval) == (90.0, 300.0)
    assert run.may_change_at == -float("inf")
    assert dict(zip(snapshot.resources, run.request, strict=True)) == {"bid slots": 1, "cpu": 1000, "pods": 1}


def test_snapshot_releases_each_member_of_its_own():
    snapshot, [run] = drawn(running())

    assert list(snapshot.releases) == [Release(node=node, request=run.request, time=run.end) for node in run.nodes]


def test_last_change_counts():
    _, [run] = drawn(running(status={"resizedAt": at(800)}))

    assert run.may_change_at == epoch_seconds(at(1100))


@pytest.mark.parametrize("work", [HOURS, None], ids=["known end", "unknown end"])
@pytest.mark.parametrize("ahead", [1, 3600])
def test_last_change_in_the_future_counts_as_long_past_after_the_clock_was_set_back(work, ahead):
    finish = {} if work else {"expectedFinish": None}
    _, [run] = drawn(running(work=work, status={"resizedAt": at(900 + ahead), **finish}))

    assert run.may_change_at == -math.inf


def test_work_that_is_done_is_not_left():
    _, [run] = drawn(running(status={"workDone": "0.5", "expectedFinish": at(1800)}))

    assert run.work.float_time(1) == pytest.approx(5400)
    assert run.left == pytest.approx(0.5)


@pytest.mark.parametrize("finish", [None, at(3600)], ids=["unknown end", "known end"])
@pytest.mark.parametrize(("least", "want"), [(2, [2, 3, 4, 5]), (4, [3, 4, 5])])
def test_gang_changes_only_to_sizes_for_which_its_profile_has_run_times(least, want, finish):
    profile = {"profile": [{"members": least, "time": "3h"}, {"members": 5, "time": "2h"}]}
    _, found = drawn(running(work=profile, status={"expectedFinish": finish}))

    assert [run.sizes.between(1, 8).tolist() for run in found] == ([] if finish and least > 3 else [want])


@pytest.mark.parametrize(
    ("hard", "want"),
    [("4", [1, 2, 3, 4]), ("3", [1, 2, 3]), ("2", [1, 2, 3]), ("1", [1, 3]), ("0", [3]), ("99", [*range(1, 9)])],
)
def test_gang_changes_only_to_sizes_that_quotas_allow_and_may_keep_the_present_one(hard, want):
    state = running()
    spec, used = {"hard": {"pods": hard}}, {"hard": {"pods": hard}, "used": {"pods": "3"}}
    metadata = {"name": "small", "namespace": "default", "resourceVersion": "1"}
    state.quotas.apply(parse_quota({"metadata": metadata, "spec": spec, "status": used}))

    _, [run] = drawn(state)

    assert run.sizes.between(1, 8).tolist() == want


@pytest.mark.parametrize(
    "case",
    [
        pytest.param({"spec": {"elastic": None}}, id="without elastic"),
        pytest.param({"status": {"conditions": [UNDOING]}}, id="while it is undone"),
        pytest.param({"status": {"succeededRanks": "1"}}, id="once a member has succeeded"),
        pytest.param({"phase": "Succeeded"}, id="once members have ended"),
        pytest.param({"spec": {"suspend": True}}, id="while it is suspended"),
        pytest.param({"spec": {"placement": {"onePer": "zone"}}}, id="where other members decide about nodes"),
    ],
)
def test_gang_keeps_its_size(case):
    _, runs = drawn(running(**case))

    assert runs == []


@pytest.mark.parametrize("work", [HOURS, None], ids=["known end", "unknown end"])
@pytest.mark.parametrize(
    ("status", "want"),
    [
        pytest.param({"startedAt": None}, (0, 0, 2), id="before all members run"),
        pytest.param({"next": {**NEXT, "expectedFinish": at(7200)}}, (0, 0), id="while its members have notice"),
    ],
)
def test_plan_knows_that_a_gang_may_change_its_size_later(status, want, work):
    finish = {} if work else {"expectedFinish": None}
    snapshot, runs = drawn(running(status={**status, **finish}, work=work))

    assert len(runs) == bool(work)
    for run in runs:
        assert run.nodes == want
        assert run.may_change_at == NOW + 90 + 300
        own = [Release(node=node, request=run.request, time=run.end) for node in run.nodes]
        assert Counter(own) <= Counter(snapshot.releases)


def test_plan_knows_that_a_gang_may_change_its_size_once_the_attempt_that_begins_runs():
    state, manifest = with_four_nodes(), gang("g", size=1, most=8, spec={"work": HOURS, "elastic": ELASTIC})
    begins = reserved_in_status(parse_gang({**manifest, "status": RUNS}, None))
    state.apply_gang(parse_gang({**manifest, "status": {"attempt": 1, "next": NEXT}}, None))

    # The status does not have the attempt yet.
    state.assumptions.hold(replace(begins, attempt=2))

    _, [run] = drawn(state)
    assert (run.nodes, run.may_change_at) == ((0, 0, 2), NOW + 90 + 300)


@pytest.mark.parametrize(
    ("case", "end"),
    [
        pytest.param({"spec": {"work": None}, "status": {"expectedFinish": None}}, None, id="without work"),
        pytest.param({"status": {"expectedFinish": at(899)}}, 900.0, id="after its expected end"),
        pytest.param({"status": {"workDone": "0.999023"}}, 3600.0, id="when an earlier size had used up its work"),
    ],
)
def test_end_of_a_gang_is_unknown(case, end):
    spec = {"work": {"serialTime": "3h"}, **case.get("spec", {})}
    status = {"firstSize": 2, "resizedAt": at(800), **case["status"]}
    manifest = {name: one for name, one in spec.items() if one}

    snapshot, [run] = drawn(running(spec=manifest, status=status, work=spec["work"]))

    assert isinstance(run, OpenEndedRun)
    assert (run.least, run.nodes, run.priority, run.grace) == (2, (0, 0, 2), 0, 30.0)
    assert run.may_change_at == epoch_seconds(at(1100))
    assert (run.sizes.minimum, run.sizes.maximum) == (1, 8)
    known = [] if end is None else [Release(node=node, request=run.request, time=run.end) for node in run.nodes]
    assert list(snapshot.releases) == known
    assert run.end == math.inf if end is None else run.end > NOW


def test_members_of_unknown_end_that_have_notice_leave_as_much_later():
    spec = {"template": {"spec": {**gang("g")["spec"]["template"]["spec"], **READS}}}

    _, [run] = drawn(running(work=None, spec=spec, status={"expectedFinish": None}))

    assert run.grace == 30.0 + 120.0


@pytest.mark.parametrize("work", [HOURS, None], ids=["known end", "unknown end"])
@pytest.mark.parametrize("interruptible", [None, "Freely"])
def test_plan_knows_whether_new_members_may_be_where_owners_come_back(work, interruptible):
    finish = {} if work else {"expectedFinish": None}
    spec = {"interruptible": interruptible} if interruptible else {}

    _, [run] = drawn(running(work=work, spec=spec, status=finish))

    assert run.interruptible == (interruptible or "Never")


def test_age_of_a_gang_that_runs_does_not_count_the_time_in_which_it_was_suspended():
    created = next(iter(running().gangs.values())).created

    _, [run] = drawn(running(status={"queuedSince": at(created + 600)}))

    assert run.created == created + 600


def test_end_of_a_gang_that_reports_its_progress_is_known():
    state = running(status={"expectedFinish": at(899), "progress": "0.5"})

    assert [type(run) for run in drawn(state)[1]] == [ElasticRun]


def test_gang_that_an_earlier_version_started_shrinks_to_no_smaller_size():
    _, [run] = drawn(running(work=None, status={"expectedFinish": None}))

    assert run.least == run.size == 3


def test_host_ports_of_gangs_that_run_make_no_columns():
    state = running()
    ports = [{"containerPort": 80, "hostPort": port} for port in (8080, 8081)]
    container = {"name": "main", "image": "work:1", "resources": {"requests": {"cpu": "1"}}, "ports": ports}
    spec = {"work": {"serialTime": "3h"}, "elastic": ELASTIC}
    state.apply_gang(
        parse_gang(gang("p", size=1, most=8, spec=spec, status=RUNS, pod_spec={"containers": [container]}), None)
    )

    snapshot, runs = drawn(state)

    assert [run.key.name for run in runs] == ["g"]
    assert sorted(snapshot.resources) == ["bid slots", "cpu", "pods"]


@pytest.mark.parametrize("most", [1, 9, 18, 20, 37, 99])
def test_gangs_are_read_in_turn_where_one_step_cannot_read_all(monkeypatch, most):
    """Of four gangs, whose reading takes as long as that of 9 or 10 members, each has its turn."""
    monkeypatch.setattr("lockstep.snapshot.holders.elastic_runs.MOST_MEMBERS", most)
    state = running()
    for name in ("a", "b", "c"):
        status = {**RUNS, "members": [{"node": "n2", "count": 2}]}
        spec = {"work": {"serialTime": "3h"}, "elastic": ELASTIC}
        state.apply_gang(parse_gang(gang(name, size=1, most=8, spec=spec, status=status), None))

    read = [{run.key.name for run in drawn(state, now=NOW + 60 * minute)[1]} for minute in range(-(-37 // most))]

    assert set().union(*read) == {"a", "b", "c", "g"}
    assert max(map(len, read)) <= -(-most // 9)


@pytest.mark.parametrize(
    ("waiting", "running", "priority", "want"),
    [
        pytest.param((), (5,), 5, (1, 8), id="alone"),
        pytest.param((5,), (5,), 5, (1, 8), id="beside a gang as urgent"),
        pytest.param((9,), (5,), 5, (1, 3), id="beside a more urgent gang that waits"),
        pytest.param((1,), (5,), 5, (3, 8), id="beside a less urgent gang that waits"),
        pytest.param((), (5, 1), 5, (3, 8), id="beside a less urgent gang that runs"),
        pytest.param((), (5, 9), 5, (1, 8), id="beside a more urgent gang that runs"),
        pytest.param((1, 9), (5,), 5, (3, 3), id="between two that wait"),
    ],
)
def test_priority_says_whether_a_gang_may_grow_or_shrink(waiting, running, priority, want):
    sizes = directions(waiting, running).sizes(Sizes(minimum=1, maximum=8), 3, priority)

    assert (sizes.minimum, sizes.maximum) == want


@pytest.mark.parametrize("priority", [-100, 100])
@pytest.mark.parametrize(
    ("status", "want"),
    [
        pytest.param({}, True, id="that may get room"),
        pytest.param({"waitedSeconds": 5}, False, id="that fits nowhere"),
    ],
)
def test_gang_that_waits_keeps_others_from_one_direction_if_it_could_get_room(priority, status, want):
    state = running()
    state.priorities.apply(parse_priority_class(priority_class("other", priority)))
    waits = parse_gang(gang("waits", size=1, spec={"priorityClassName": "other"}, status=status), None)
    state.apply_gang(waits)

    _, [run] = drawn(state, waits)

    assert (run.sizes.minimum == run.size, run.sizes.maximum == run.size) == (
        want and priority < 0,
        want and priority > 0,
    )


def test_gang_keeps_its_size_while_a_node_of_it_is_unknown():
    state = running()
    state.nodes.remove("n3")

    _, runs = drawn(state)

    assert runs == []


def test_one_gang_that_cannot_be_read_keeps_no_other_from_changing(monkeypatch):
    state = running()
    state.priorities.apply(parse_priority_class(priority_class("urgent", 100)))
    errors = {}

    def breaks(*_):
        raise ValueError("broken")

    monkeypatch.setattr("lockstep.snapshot.snapshots.SizedRuns.of", breaks)
    watch = Watch()
    at_once(SnapshotCutter(state).drawn(NOW, [], rescue=errors.__setitem__, watch=watch))

    assert watch.runs == []
    assert [str(key) for key in errors] == ["default/g"]


def test_gang_of_unknown_end_has_the_unit_times_of_its_status():
    times = [{"size": 2, "seconds": 900}, {"size": 3, "seconds": 700}]
    _, [run] = drawn(running(work=None, status={"expectedFinish": None, "unitTimes": times}))

    assert run.unit_times == (UnitTime(2, 900.0), UnitTime(3, 700.0))
    assert run.is_measured


def test_gang_whose_expected_end_has_passed_is_not_compared_by_unit_times():
    times = [{"size": 3, "seconds": 700}]
    _, [run] = drawn(running(status={"expectedFinish": at(899), "unitTimes": times}))

    assert isinstance(run, OpenEndedRun)
    assert run.unit_times == ()
