"""What a drawing and a check of quotas cost the event loop: counted in instructions, whatever numbers tenants write.

A million of them take about a twentieth of a second.
"""

from dataclasses import replace

import pytest

from builders.facts import GIB, gang_fact, gang_spec, node_fact, reservation, role_spec
from builders.served import pod as pod_manifest
from builders.work import instructions, instructions_of_steps
from coschedule import GangKey, Members, Requirement, SerialWork
from lockstep.api.cluster.quota import parse_quota
from lockstep.api.pods.pod import parse_pod
from lockstep.belief.state import State
from lockstep.cycle.planning.within_quotas import keeping_within_quotas
from lockstep.facts.cluster.volume import AttachLimits, ClaimUse, Sharing, StorageClass, VolumeRequest
from lockstep.facts.elastic import ElasticSpec
from lockstep.facts.gang.status import ConditionFact, GangStatus
from lockstep.facts.pods.pod import PodAffinity, PodTerm, WrittenTerm
from lockstep.facts.reasons import Condition, Reason
from lockstep.snapshot.snapshots import SnapshotCutter

# Of one step, and far more than what ordinary gangs take.
MOST_INSTRUCTIONS = 500_000
DRIVER = "disk.example.com"


def state_with(nodes):
    state = State(lambda: None)
    for number in range(nodes):
        name = f"n{number:03}"
        state.nodes.apply(node_fact(name, labels={"host": name}))
        state.attachments.apply_limits(AttachLimits(name, {DRIVER: 2}))
    state.claims.storage.classes.apply(StorageClass("disk", DRIVER, waits=True))
    return state


def kept(number=0):
    request = VolumeRequest("disk", GIB, frozenset({"ReadWriteOnce"}))
    return ClaimUse(f"volumeClaimTemplates[{number}]", f"data{number}", Sharing.KEPT, request)


def with_volumes(size, most, volumes):
    """A role whose members have so many volumes each, which they keep."""
    role = role_spec(size=size, most=most, claims=tuple(kept(number) for number in range(volumes)))
    return replace(role, claim_templates=tuple({"metadata": {"name": f"data{number}"}} for number in range(volumes)))


def drawn(state, gangs):
    """The instructions of each step of a drawing, when nothing is remembered."""
    counts, _ = instructions_of_steps(SnapshotCutter(state).drawn(0.0, gangs))
    return counts


def quotas_checked(state, gangs):
    counts, _ = instructions_of_steps(keeping_within_quotas(state, gangs, raising))
    return counts


def raising(_, error):
    raise error


def with_quota(state, **hard):
    quota = {"metadata": {"name": "small", "namespace": "default"}, "spec": {}}
    used = dict.fromkeys(hard, "0")
    state.quotas.apply(parse_quota({**quota, "status": {"hard": hard, "used": used}}))
    return state


@pytest.mark.parametrize("check", [drawn, quotas_checked])
def test_gang_that_may_have_many_members_with_volumes_costs_no_more_than_a_small_one(check):
    costs = []
    for most in (2_000, 10_000):
        state = with_quota(state_with(20), persistentvolumeclaims="9000")
        gangs = [gang_fact(spec=gang_spec(roles=[with_volumes(1, most, 8)]))]
        state.apply_gang(gangs[0])
        costs.append(sum(check(state, gangs)))

    assert costs[1] <= 1.1 * costs[0]


def test_snapshot_says_whether_a_gang_can_use_its_claims_whatever_its_size():
    costs = []
    for most in (2_000, 10_000):
        state, gang = state_with(1), gang_fact(spec=gang_spec(roles=[with_volumes(1, most, 1)]))
        state.apply_gang(gang)
        costs.append(instructions(lambda state=state, gang=gang: state.refusal_of(gang)))

    assert costs[1] <= 1.1 * costs[0]


def crowd(waiting, running, *, claims=()):
    """A state in which so many gangs have reserved nodes for ten members each, and the gangs that wait."""
    state = state_with(100)
    for number in range(running):
        state.apply_gang(gang_fact(f"r{number}", spec=gang_spec(size=10, claims=claims)))
        members = tuple((f"n{(7 * number + member) % 100:03}", 1) for member in range(10))
        state.assumptions.hold(reservation(f"r{number}", members=members))
    gangs = [gang_fact(f"w{number}", spec=gang_spec(size=1, most=10, claims=claims)) for number in range(waiting)]
    for gang in gangs:
        state.apply_gang(gang)
    return state, gangs


def cost_of(check, waiting, running, **more):
    state, gangs = crowd(waiting, running, **more)
    if check is quotas_checked:
        with_quota(state, **{"pods": "900", "requests.cpu": "900"})
    return sum(check(state, gangs))


@pytest.mark.parametrize("check", [drawn, quotas_checked])
def test_gangs_that_wait_do_not_each_read_all_that_have_reserved(check):
    """What one more that waits costs is the same, whether two or twenty hold nodes."""
    one_more = [
        cost_of(check, 11, running, claims=(kept(),)) - cost_of(check, 10, running, claims=(kept(),))
        for running in (2, 20)
    ]

    assert one_more[1] <= 1.5 * one_more[0]


def test_gangs_with_volumes_share_the_columns_of_what_nodes_can_attach():
    state, gangs = crowd(20, 5, claims=(kept(),))

    snapshot = SnapshotCutter(state).cut(0.0, gangs)

    assert [name for name in snapshot.resources if name.startswith("volumes")] == [f"volumes of {DRIVER}"]


def shy(name, terms):
    """A gang that keeps off so many kinds of pods."""
    apart = tuple(
        WrittenTerm(PodTerm("host", (Requirement(f"{name}-{number}", "Exists", ()),), (), None))
        for number in range(terms)
    )
    role = replace(role_spec(), pod_affinity=PodAffinity((), apart))
    return gang_fact(name, spec=replace(gang_spec(), roles=(role,)))


def cost_of_terms(nodes):
    """What 39 terms more of a gang cost that mean no pod, where each node has one."""
    state = state_with(nodes)
    for number in range(nodes):
        state.apply_pod(parse_pod(pod_manifest(f"p{number}", node=f"n{number:03}", labels={"app": "heat"})))
    drawn(state, [shy("first", 1)])
    return sum(drawn(state, [shy("many", 40)])) - sum(drawn(state, [shy("one", 1)]))


def test_terms_that_mean_no_pod_cost_the_same_however_many_pods_and_nodes_there_are():
    _, few, many = (cost_of_terms(nodes) for nodes in (1, 20, 200))

    assert many <= 1.05 * few


def test_terms_of_a_pod_cost_no_gang_anything_that_they_do_not_mean():
    costs = []
    for terms in (1, 30):
        state = state_with(20)
        required = [
            {
                "labelSelector": {"matchExpressions": [{"key": f"k{number}", "operator": "Exists"}]},
                "namespaceSelector": {},
                "topologyKey": "host",
            }
            for number in range(terms)
        ]
        affinity = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}}
        state.apply_pod(parse_pod(pod_manifest("p", node="n001", spec={"affinity": affinity})))
        gangs = [gang_fact(f"g{number}") for number in range(20)]
        for gang in gangs:
            state.apply_gang(gang)
        costs.append(sum(drawn(state, gangs)))

    assert costs[1] <= 1.05 * costs[0]


def test_no_step_of_a_drawing_does_much_at_once():
    state, gangs = crowd(60, 30, claims=(kept(), kept(1)))
    asking = tuple(sorted({("bid slots", 1), ("cpu", 1), *((f"host port TCP {port}", 2**20) for port in range(250))}))
    gangs += [gang_fact(f"p{number}", spec=gang_spec(request=asking)) for number in range(5)]
    gangs += [shy(f"s{number}", 60) for number in range(5)]
    for gang in gangs:
        state.apply_gang(gang)

    assert max(drawn(state, gangs)) <= MOST_INSTRUCTIONS


def test_no_step_of_a_drawing_counts_the_volumes_of_many_nodes():
    state, gangs = crowd(2, 600, claims=(kept(), kept(1)))

    assert max(drawn(state, gangs)) <= MOST_INSTRUCTIONS


class Watch:
    """Has the gangs found that may change their size."""

    def froze_amounts(self, left_out):
        pass

    def found_elastic(self, runs):
        self.found = len(runs)


def with_running(*, elastic, gangs=40, members=10):
    """A state in which so many gangs run with so many members each."""
    state = state_with(100)
    placed = ConditionFact(Condition.PLACED, "True", Reason.BOUND, "", 1, 0.0)
    spec = replace(gang_spec(size=1, most=20, work=SerialWork(serial=1e6)), elastic=ElasticSpec(120.0, 600.0))
    spec = spec if elastic else replace(spec, elastic=None)
    for number in range(gangs):
        on = tuple(Members(f"n{(7 * number + member) % 100:03}", 1) for member in range(members))
        times = {"reserved_at": 0.0, "start": 0.0, "started_at": 0.0, "expected_finish": 1e5}
        status = GangStatus(attempt=1, members=on, conditions=(placed,), **times)
        state.apply_gang(gang_fact(f"r{number}", spec=spec, status=status))
    return state


def with_gangs_that_run(**gangs):
    """The longest step of a drawing beside gangs that run, and how many of these may change their size."""
    watch = Watch()
    counts, _ = instructions_of_steps(SnapshotCutter(with_running(**gangs)).drawn(1.0, [], watch=watch))
    return max(counts), watch.found


def beside_changes(running, changing):
    """What a drawing costs beside so many gangs that run under a quota, of which so many have a next size."""
    state = with_quota(with_running(elastic=True, gangs=running), pods="9000")
    for number in range(changing):
        members = tuple((f"n{member:03}", 1) for member in range(12))
        state.counts.next_sizes.decide(reservation(f"r{number}", members=members))
    counts, _ = instructions_of_steps(SnapshotCutter(state).drawn(1.0, [], watch=Watch()))
    return sum(counts)


def test_gangs_that_run_do_not_each_read_all_that_are_about_to_grow():
    """What one more that runs costs is the same, whether two or twenty are about to grow."""
    one_more = [beside_changes(31, changing) - beside_changes(30, changing) for changing in (2, 20)]

    assert one_more[1] <= 1.2 * one_more[0]


def more_for_elastic(gangs):
    """What gangs of one member cost the longest step more if they may change their size; and how many of them do."""
    (ordinary, _), (elastic, found) = (
        with_gangs_that_run(elastic=one, gangs=gangs, members=1) for one in (False, True)
    )
    return elastic - ordinary, found


def test_very_many_gangs_that_may_change_their_size_cost_a_step_no_more_than_many():
    (many, _), (very_many, found) = more_for_elastic(1_000), more_for_elastic(3_000)

    assert found == 1_000
    assert very_many <= 1.5 * many


def test_gangs_that_may_change_their_size_cost_a_step_no_more_than_others_beyond_a_bound(monkeypatch):
    monkeypatch.setattr("lockstep.snapshot.holders.elastic_runs.MOST_MEMBERS", 30)
    (ordinary, none), (elastic, few) = (with_gangs_that_run(elastic=elastic) for elastic in (False, True))

    assert (none, few) == (0, 2)
    assert elastic <= 1.3 * ordinary


def test_hosts_ports_that_one_gang_alone_asks_for_are_one_column():
    state = state_with(3)
    ports = {f"host port TCP {port}": 2**20 for port in range(250)}
    spec = gang_spec(size=2, request=tuple(sorted({"bid slots": 1, "cpu": 1, **ports}.items())))
    gang = gang_fact(spec=spec)
    state.apply_gang(gang)

    assert SnapshotCutter(state).cut(0.0, [gang]).resources == ("bid slots", "cpu", "host port TCP 0")
    assert GangKey("default", "g") in state.gangs
