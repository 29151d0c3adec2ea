"""Snapshots and plans survive JSON exactly, and documents that were tampered with are refused by field."""

import json
import math
from dataclasses import replace
from fractions import Fraction

import pytest

from coschedule.model.errors import InvalidValueError
from coschedule.model.run_times import ProfileWork, SerialWork, TimedSize
from coschedule.queue.codec import decode_plan, decode_snapshot, encode_plan, encode_snapshot
from coschedule.queue.constraints.terms import Constraints, NodeTerm, Requirement, Taint, Toleration
from coschedule.queue.plan import plan
from coschedule.queue.problem.decisions import Placement, Plan, Unplaceable
from coschedule.queue.problem.gangs import Kept, Load, Seat
from coschedule.queue.problem.members import Members
from coschedule.queue.problem.owner_forecasts import Interruptible
from coschedule.queue.problem.parts import Share
from coschedule.queue.problem.terms import Term, TermKind
from engine.builders import NOW, gang, in_front, node, release, role, running, snapshot

CONSTRAINTS = Constraints(
    node_selector=(("disk", "ssd"),),
    affinity=(NodeTerm((Requirement("zone", "In", ("a", "b")),), (Requirement("metadata.name", "NotIn", ("n9",)),)),),
    tolerations=(Toleration("gpu", "Exists", "", "NoSchedule"),),
    volumes=((NodeTerm((Requirement("zone", "Exists", ()),), ()),),),
    barred=(("kept free", frozenset({"n2", "n1"})),),
)
NODES = [
    node("n1", free=(3, -1), start=NOW + 0.1, until=NOW + 1e9 / 7, slowdown=4 / 3, labels={"disk": "ssd", "zone": "a"}),
    node("n2", free=(2**60, 0), labels={}, taints=[Taint("gpu", "", "NoSchedule")], cordoned=True),
]
GANGS = [
    gang("exact", most=3, serial=Fraction(10, 3), request=(1, 0), constraints=CONSTRAINTS, deadline=NOW + 99.5),
    gang("whole", serial=7, request=(1, 0)),
    gang("float", serial=0.1, request=(1, 0), priority=-5, created=math.nextafter(1, 2)),
    gang("profile", most=4, times=[4, math.inf, 1.5, Fraction(1, 3)], request=(1, 0)),
    gang("endless", request=(2**61, 0)),
    gang("bold", serial=3, request=(1, 0), interruptible=Interruptible.FREELY),
    gang("saving", serial=3, request=(1, 0), interruptible=Interruptible.CHECKPOINTED, checkpoints=0.1),
]


def through_json(document):
    return json.loads(json.dumps(document, allow_nan=False))


def full_snapshot():
    releases = [release(0, NOW + 5, 1, 2), release(1, math.inf, 1, 1)]
    pods = [in_front(1, 1, 0, priority=3)]
    runs = [running("low", (0, 1, 2), (1, 0, 1), size=2, end=NOW + 9, grace=30.0, disrupts=[(0, 2)]), running("new")]
    return snapshot(
        NODES,
        GANGS,
        releases=releases,
        nominated=pods,
        resources=("cpu", "memory"),
        now=NOW + 1 / 3,
        generation=12,
        runs=runs,
        budgets=(1,),
        edges=(NOW, NOW + 1 / 3, NOW + 3600),
        returns=((0.0, 0.1), (0.0, 0.0)),
    )


@pytest.mark.parametrize(
    "members",
    [
        pytest.param((), id="that are not formatted"),
        pytest.param((Members("n1", 2), Members("n2", 1)), id="of equal members"),
        pytest.param((Members("n1", 2, Share(0.25)), Members("n2", 1, Share(0.5))), id="of members with shares"),
    ],
)
def test_what_the_plan_before_gave_comes_back_equal(members):
    kept = Kept(start=NOW + 1, finish=NOW + 3, seats=((Seat(0, 2), Seat(1, 1)),), latest=1, members=members)
    waiting = replace(gang("kept", serial=3, request=(1, 0)), kept=kept)
    snap = snapshot(NODES, [waiting], resources=("cpu", "memory"))

    [back] = decode_snapshot(through_json(encode_snapshot(snap))).gangs

    assert (back.kept, back.kept.members, back.kept.size) == (kept, members, 3)


@pytest.mark.parametrize(
    "members",
    [
        pytest.param((Members("n1", 1), Members("n2", 2)), id="with other counts"),
        pytest.param((Members("gone", 2), Members("n2", 1)), id="on a node that is not there"),
        pytest.param((Members("n1", 2, role="guest"), Members("n2", 1)), id="of a role that is not there"),
    ],
)
def test_members_that_are_not_the_seats_are_refused(members):
    kept = Kept(start=NOW + 1, finish=NOW + 3, seats=((Seat(0, 2), Seat(1, 1)),), latest=1, members=members)
    waiting = replace(gang("kept", serial=3, request=(1, 0)), kept=kept)
    document = through_json(encode_snapshot(snapshot(NODES, [waiting], resources=("cpu", "memory"))))

    with pytest.raises(InvalidValueError, match=r"gangs\[0\]\.kept\.members must name the seats that are kept"):
        decode_snapshot(document)


def test_what_a_value_must_be_is_said_in_words_of_no_programming_language():
    document = through_json(encode_snapshot(full_snapshot()))
    document["gangs"][0]["priority"] = "high"

    with pytest.raises(InvalidValueError, match=r"gangs\[0\]\.priority must be a whole number"):
        decode_snapshot(document)


def test_gang_is_named_as_people_name_it():
    document = through_json(encode_snapshot(full_snapshot()))
    document["gangs"][0]["roles"][0]["request"] = []

    with pytest.raises(InvalidValueError, match=r"gang default/\S+ must request one amount for each resource"):
        decode_snapshot(document)


def test_snapshot_comes_back_equal():
    snap = full_snapshot()

    back = decode_snapshot(through_json(encode_snapshot(snap)))

    for name in ("generation", "now", "resources", "releases", "gangs", "nominated", "running", "budgets"):
        assert getattr(back, name) == getattr(snap, name)
    for name in ("free", "start", "slowdown", "until"):
        assert getattr(back, name).dtype == getattr(snap, name).dtype
        assert (getattr(back, name) == getattr(snap, name)).all()
    for name in ("names", "labels", "taints"):
        assert getattr(back.nodes, name) == getattr(snap.nodes, name)
    for name in ("edges", "returns"):
        assert (getattr(back.forecasts, name) == getattr(snap.forecasts, name)).all()
    assert (back.nodes.ready == snap.nodes.ready).all()
    assert (back.nodes.unschedulable == snap.nodes.unschedulable).all()


def test_roles_and_terms_come_back_equal():
    roles = [
        role("workers", most=8, multiple_of=2, allowed=(2, 4), request=(1, 0), constraints=CONSTRAINTS),
        role("launcher", request=(0, 1), load=Load.NONE),
    ]
    apart = Term(
        kind=TermKind.APART,
        topology_key="zone",
        roles=frozenset({"workers"}),
        towards=frozenset({"workers", "launcher"}),
    )
    one = gang("roles", roles=roles, serial=6, terms=[apart])

    back = decode_snapshot(through_json(encode_snapshot(snapshot(NODES, [one], resources=("cpu", "memory")))))

    assert back.gangs == (one,)


def test_role_of_members_comes_back():
    snap = snapshot(NODES, [gang(roles=[role("workers", request=(1, 0))], serial=1)], resources=("cpu", "memory"))
    [placement] = plan(snap).decisions
    made = Plan(generation=1, decisions=(placement,))

    assert [one.role for one in placement.members] == ["workers"]
    assert decode_plan(through_json(encode_plan(made, repr))) == made


def test_types_of_numbers_come_back():
    back = decode_snapshot(through_json(encode_snapshot(full_snapshot())))

    works = {pending.key.name: pending.work for pending in back.gangs}
    assert [type(works[name].serial) for name in ("exact", "whole", "float")] == [Fraction, int, float]
    assert works["profile"].times == (4, math.inf, 1.5, Fraction(1, 3))
    assert works["endless"] is None


@pytest.mark.parametrize("law", [None, SerialWork(serial=7, fixed=Fraction(1, 3))])
def test_profile_comes_back_as_its_points(law):
    work = ProfileWork(points=(TimedSize(1, 0.1), TimedSize(3, 1e9 / 7)), law=law)
    snap = snapshot(NODES, [replace(gang("g", request=(1, 0)), work=work)], resources=("cpu", "memory"))

    assert decode_snapshot(through_json(encode_snapshot(snap))).gangs[0].work == work


def test_replay_gives_the_same_plan_and_the_plan_comes_back_equal():
    snap = full_snapshot()
    made = plan(snap)

    assert plan(decode_snapshot(through_json(encode_snapshot(snap)))) == made
    written = through_json(encode_plan(made, repr))
    back = decode_plan(written)
    assert through_json(encode_plan(back, lambda refusal: refusal.sentence)) == written
    assert [one for one in back.decisions if isinstance(one, Placement)] == [
        one for one in made.decisions if isinstance(one, Placement)
    ]
    assert [(one.gang, one.reason) for one in back.decisions if isinstance(one, Unplaceable)] == [
        (one.gang, one.reason) for one in made.decisions if isinstance(one, Unplaceable)
    ]
    assert len({type(decision) for decision in made.decisions}) == 2


def test_empty_cluster_comes_back():
    back = decode_snapshot(through_json(encode_snapshot(snapshot([], [], resources=("cpu", "memory")))))

    assert back.free.shape == (0, 2)


@pytest.mark.parametrize(
    ("path", "value", "want_field"),
    [
        pytest.param(("now",), "soon", "now", id="a word for a number"),
        pytest.param(("now",), True, "now", id="true for a number"),
        pytest.param(("generation",), 1.5, "generation", id="a fraction for a count"),
        pytest.param(("generation",), False, "generation", id="false for a count"),
        pytest.param(("generation",), None, "generation", id="null for a count"),
        pytest.param(("extra",), 1, "extra", id="an unknown field"),
        pytest.param(("resources",), "cpu", "resources", id="a word for a list"),
        pytest.param(("nodes",), [], "nodes", id="a list for an object"),
        pytest.param(("nodes", "ready", 0), 1, "nodes.ready[0]", id="a number for a truth"),
        pytest.param(("nodes", "labels", 0), [], "nodes.labels[0]", id="a list for labels"),
        pytest.param(("nodes", "labels", 0, "disk"), 1, "nodes.labels[0].disk", id="a number for a label"),
        pytest.param(("nodes", "names", 0), "z", "nodes", id="names out of order"),
        pytest.param(("forecasts", "returns", 0, 0), 2.0, "forecasts", id="more than certain"),
        pytest.param(("forecasts", "returns"), [[0.1, 0.1]], "", id="a forecast for one of two nodes"),
        pytest.param(("gangs", 0, "interruptible"), "Perhaps", "gangs[0].interruptible", id="another word"),
        pytest.param(("free", 0, 0), 1.5, "free[0][0]", id="half a unit"),
        pytest.param(("free", 0), [1], "", id="a ragged table"),
        pytest.param(("free", 0, 0), 2**70, "free[0][0]", id="more than 64 bits"),
        pytest.param(("gangs", 0, "key", "name"), 3, "gangs[0].key.name", id="a number for a name"),
        pytest.param(
            ("gangs", 0, "roles", 0, "sizes", "minimum"), 0, "gangs[0].roles[0].sizes", id="a gang of no members"
        ),
        pytest.param(("gangs", 0, "work"), {"fixed": 1}, "gangs[0].work.serial", id="half a description of work"),
        pytest.param(("gangs", 0, "work"), 3, "gangs[0].work", id="a number for work"),
        pytest.param(("gangs", 0, "work", "serial"), "1/0", "gangs[0].work.serial", id="division by zero"),
        pytest.param(
            ("gangs", 0, "roles", 0, "constraints", "node_selector", 0),
            ["a"],
            "gangs[0].roles[0].constraints.node_selector[0]",
            id="half a label",
        ),
    ],
)
def test_wrong_snapshot_is_refused_by_field(path, value, want_field):
    document = through_json(encode_snapshot(full_snapshot()))
    place = document
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value

    with pytest.raises(InvalidValueError) as refusal:
        decode_snapshot(document)

    assert refusal.value.field == want_field


def test_missing_field_is_refused_by_name():
    document = encode_snapshot(full_snapshot())
    del document["gangs"][1]["priority"]

    with pytest.raises(InvalidValueError) as refusal:
        decode_snapshot(document)

    assert refusal.value.field == "gangs[1].priority"


@pytest.mark.parametrize("field", ["node", "size"])
def test_members_without_a_node_or_a_size_are_refused(field):
    document = encode_plan(plan(snapshot([node("n0")], [gang()])), repr)
    document["decisions"][0]["members"][0][field] = None

    with pytest.raises(InvalidValueError, match=rf"members\[0\]\.{field}"):
        decode_plan(document)


def test_unknown_reason_is_refused():
    document = encode_plan(plan(snapshot([], [gang()])), repr)
    document["decisions"][0]["reason"] = "JustBecause"

    with pytest.raises(InvalidValueError, match="NoNodeFits"):
        decode_plan(document)
