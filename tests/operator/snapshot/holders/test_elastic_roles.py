"""What a snapshot says of gangs of several roles that run: only the size of one role changes."""

import math

import pytest

from builders.served import at, gang, node, owned_by, pod, role
from builders.volumes import claim_templates
from coschedule import Constraints, ElasticRun, FixedMembers, OpenEndedRun, Release, SeatKind, UnitTime
from lockstep.api.cluster.node import parse_node
from lockstep.api.cluster.quota import parse_quota
from lockstep.api.gangjob.gangjob import parse_gang
from lockstep.api.pods.pod import parse_pod
from lockstep.api.quantities import epoch_seconds
from lockstep.belief.common.steps import at_once
from lockstep.belief.state import State
from lockstep.snapshot.holders.resizable import KeepsSize, resizable
from lockstep.snapshot.nodes.node_arrays import node_arrays
from lockstep.snapshot.nodes.resource_columns import Columns
from lockstep.snapshot.snapshots import SnapshotCutter

NOW = epoch_seconds(at(900))
# The launcher is between the others, so that ranks do not follow the order of nodes.
PLACES = [("helpers", "n2", 2), ("launcher", "n1", 1), ("workers", "n1", 2), ("workers", "n3", 1)]
RUNS = {
    "attempt": 1,
    "members": [{"role": name, "node": place, "count": count} for name, place, count in PLACES],
    "reservedAt": at(0),
    "start": at(0),
    "startedAt": at(0),
    "expectedFinish": at(3600),
    "conditions": [{"type": "Placed", "status": "True", "reason": "Bound", "lastTransitionTime": at(0)}],
}
ELASTIC = {"mode": "Restart", "restartTime": "90s", "minInterval": "5m"}
HOURS = {"serialTime": "5h"}
HELPERS = role("helpers", size=2, cpu="2", nodeSelector={"pool": "a"})
LAUNCHER = role("launcher", load="None", cpu="500m")
WORKERS = role("workers", size=2, most=8)


class Watch:
    """Keeps what is found while a snapshot is drawn."""

    runs = None

    def froze_amounts(self, left_out):
        assert not left_out

    def found_elastic(self, runs):
        self.runs = runs


def running(*roles, status=None, work=HOURS, asked=None, slow=None):
    """A state with a gang of six on three of four nodes: two helpers, a launcher and three workers."""
    state = State(lambda: None)
    for number in range(1, 5):
        state.nodes.apply(parse_node(node(f"n{number}", cpu="8", labels={"pool": "a"})))
    elastic = {**ELASTIC, **({} if asked is None else {"size": asked})}
    spec = {"elastic": elastic, **({"work": work} if work else {})}
    listed = roles or (HELPERS, LAUNCHER, WORKERS)
    state.apply_gang(parse_gang(gang("g", roles=listed, spec=spec, status={**RUNS, **(status or {})}), None))
    cpus = {one["name"]: one["template"]["spec"]["containers"][0]["resources"]["requests"]["cpu"] for one in listed}
    of_rank = [(name, place) for name, place, count in PLACES for _ in range(count)]
    for rank, (name, place) in enumerate(of_rank):
        manifest = pod(f"g-1-{rank}", node=place, cpu=cpus[name], phase="Running", **owned_by("g", rank=rank))
        state.apply_pod(parse_pod(manifest))
    return state


def drawn(state):
    watch = Watch()
    snapshot = at_once(SnapshotCutter(state).drawn(NOW, [], watch=watch))
    return snapshot, watch.runs


def vector(snapshot, cpu):
    amounts = {"bid slots": 1, "cpu": cpu, "pods": 1}
    return tuple(amounts[name] for name in snapshot.resources)


def test_members_of_the_other_roles_are_fixed_on_their_nodes():
    snapshot, [run] = drawn(running())

    assert isinstance(run, ElasticRun)
    assert (run.nodes, run.request, run.constraints) == ((0, 0, 2), vector(snapshot, 1000), Constraints())
    assert (run.sizes.minimum, run.sizes.maximum) == (2, 8)
    in_pool = Constraints(node_selector=(("pool", "a"),))
    assert run.fixed == (
        FixedMembers(SeatKind(in_pool, vector(snapshot, 2000)), (1, 1), is_work=True),
        FixedMembers(SeatKind(Constraints(), vector(snapshot, 500)), (0,), is_work=False),
    )


def test_snapshot_releases_each_member_of_each_role_once():
    snapshot, [run] = drawn(running())

    seats = [(run.request, node) for node in run.nodes]
    seats += [(part.seat.request, node) for part in run.fixed for node in part.nodes]
    want = [Release(node=node, request=request, time=run.end) for request, node in seats]
    assert sorted(snapshot.releases, key=repr) == sorted(want, key=repr)


def test_work_that_is_left_is_that_of_all_members_that_work():
    _, [run] = drawn(running())

    # Five members work for an hour, of which a quarter has passed; a gang of three would have taken longer.
    assert run.left == pytest.approx(0.75)
    assert (run.fixed_size, run.fixed_working) == (3, 2)


@pytest.mark.parametrize(("asked", "want"), [(6, 3), (11, 8), (5, 2), (None, None)])
def test_size_that_is_asked_for_is_that_of_the_gang(asked, want):
    _, [run] = drawn(running(asked=asked))

    assert run.asked == want


def test_gang_of_unknown_end_shrinks_to_the_size_with_which_the_whole_gang_started():
    _, [run] = drawn(running(work=None, status={"expectedFinish": None, "firstSize": 5}))

    assert isinstance(run, OpenEndedRun)
    assert (run.least, run.end, run.fixed_size) == (2, math.inf, 3)


@pytest.mark.parametrize(
    ("resource", "hard", "used", "want"), [("pods", "8", "6", 5), ("requests.cpu", "8", "6500m", 4)]
)
def test_quotas_are_asked_for_members_whose_number_may_change(resource, hard, used, want):
    state = running()
    spec, said = {"hard": {resource: hard}}, {"hard": {resource: hard}, "used": {resource: used}}
    metadata = {"name": "small", "namespace": "default", "resourceVersion": "1"}
    state.quotas.apply(parse_quota({"metadata": metadata, "spec": spec, "status": said}))

    assert drawn(state)[1][0].sizes.maximum == want


CLAIMS = {"volumeClaimTemplates": claim_templates("fast", "data")}


@pytest.mark.parametrize(
    ("roles", "want"),
    [
        pytest.param(
            [HELPERS, LAUNCHER, {**WORKERS, "size": {"min": 3, "max": 3}}], KeepsSize.NO_VARYING_ROLE, id="none"
        ),
        pytest.param(
            [{**HELPERS, "size": {"min": 2, "max": 3}}, LAUNCHER, WORKERS], KeepsSize.NO_VARYING_ROLE, id="two"
        ),
        pytest.param([HELPERS, LAUNCHER, {**WORKERS, **CLAIMS}], KeepsSize.CLAIMS_MOVE, id="its claims"),
        pytest.param(
            [
                {**HELPERS, "size": {"min": 2, "max": 4}},
                {**LAUNCHER, **CLAIMS},
                {**WORKERS, "size": {"min": 3, "max": 3}},
            ],
            KeepsSize.CLAIMS_MOVE,
            id="claims behind it",
        ),
        pytest.param([{**HELPERS, **CLAIMS}, LAUNCHER, WORKERS], None, id="claims before it"),
    ],
)
def test_gang_keeps_its_size_where_not_exactly_one_role_varies_or_claims_would_move(roles, want):
    state = running(*roles)
    [held] = state.reservations.values()
    one = state.gangs[held.gang]
    columns = Columns(("bid slots", "cpu", "pods"), {})

    found = resizable(state, one, held, node_arrays(state), columns, NOW)

    assert found == want if want else not isinstance(found, KeepsSize)


def test_gang_keeps_its_size_once_a_fixed_member_has_ended():
    state = running()
    state.apply_pod(parse_pod(pod("g-1-2", node="n1", cpu="500m", phase="Failed", **owned_by("g", rank=2))))

    assert drawn(state)[1] == []


def test_unit_times_are_by_the_number_of_members_that_may_change():
    times = [{"size": 3, "seconds": 900}, {"size": 5, "seconds": 700}, {"size": 6, "seconds": 600}]
    _, [run] = drawn(running(work=None, status={"expectedFinish": None, "unitTimes": times}))

    assert run.unit_times == (UnitTime(2, 700.0), UnitTime(3, 600.0))
