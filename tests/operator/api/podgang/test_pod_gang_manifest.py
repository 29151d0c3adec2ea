"""The manifest of a Gang: what it asks for, and what of it is refused."""

import pytest

from builders.served import metadata
from coschedule import SerialWork
from lockstep.api.podgang.made_gang import made_gang, made_parts
from lockstep.api.podgang.owners import OWNERS
from lockstep.api.podgang.pod_gang import is_as_made, parse_pod_gang
from lockstep.facts.gang.gang import Refusal
from lockstep.facts.gang.keys import is_pod_gang, object_name, pod_gang_key
from lockstep.facts.gang.pod_gang import HostList, Undo
from lockstep.facts.gang.source import Source
from lockstep.facts.pods.pod import PodKey
from lockstep.facts.reasons import Reason
from lockstep.facts.sizing import Sizing


def parse(size=None, status=None, **spec):
    """Read a Gang with that spec and status."""
    manifest = {
        "metadata": metadata("heat", namespace="default", generation=1),
        "spec": {"size": size or {"min": 2}, **spec},
    }
    return parse_pod_gang(manifest if status is None else {**manifest, "status": status})


def test_key_is_that_of_no_gangjob_and_names_the_object():
    key = parse().key

    assert key == pod_gang_key("default", "heat")
    assert is_pod_gang(key)
    assert not is_pod_gang(key._replace(name="heat"))
    assert {object_name(key), object_name(key._replace(name="heat"))} == {"heat"}
    assert key not in (PodKey("default", "heat"), key._replace(name="heat"))


def test_gang_without_a_maximum_has_the_largest():
    assert (parse().asks.minimum, parse().asks.maximum) == (2, 10_000)


def test_gang_says_all_that_it_asks_for():
    asks = parse(
        {"min": 2, "max": 8},
        work={"serialTime": "10m"},
        deadline="1h",
        placement={"onePer": "host", "allIn": "zone"},
        sizing="Fewest",
        undo="Evict",
    ).asks

    assert (asks.minimum, asks.maximum, asks.deadline_seconds) == (2, 8, 3600)
    assert isinstance(asks.work, SerialWork)
    assert (asks.one_per, asks.all_in, asks.sizing) == ("host", "zone", Sizing.FEWEST)
    assert (asks.undo, parse().asks.undo) == (Undo.EVICT, Undo.KEEP)


def test_roles_and_class_and_hosts_of_a_gang_are_read():
    roles = [{"name": "launcher", "size": {"min": 1, "max": 1}}, {"name": "workers", "size": {"min": 2}}]
    asks = parse({"min": 3}, roles=roles, priorityClassName="urgent", hosts="ConfigMap").asks

    assert asks.roles == (("launcher", 1, 1), ("workers", 2, 10_000))
    assert (asks.priority_class, asks.hosts) == ("urgent", HostList.CONFIG_MAP)
    assert (parse().asks.roles, parse().asks.priority_class, parse().asks.hosts) == ((), "", HostList.NONE)


@pytest.mark.parametrize(
    ("says", "want"),
    [({}, True), ({"preemptionPolicy": "PreemptLowerPriority"}, True), ({"preemptionPolicy": "Never"}, False)],
    ids=["nothing", "it does", "it does not"],
)
def test_gang_says_whether_others_give_way_to_it(says, want):
    assert parse(**says).asks.preempts is want


@pytest.mark.parametrize(
    ("roles", "want"),
    [
        pytest.param([("a", 2), ("b", 2)], "roles: they need 4 pods together, more than the 3 of size.min", id="many"),
        pytest.param([("a", 1), ("a", 1)], "two of them have the same name", id="one name twice"),
        pytest.param([("a", 0)], "role a: min 0", id="no pods"),
    ],
)
def test_roles_that_make_no_sense_are_refused(roles, want):
    asks = parse({"min": 3}, roles=[{"name": name, "size": {"min": least}} for name, least in roles]).asks

    assert isinstance(asks, Refusal)
    assert want in asks.message


@pytest.mark.parametrize("undo", ["Keep", "Evict"])
def test_gang_that_was_made_is_left_alone_whatever_its_user_says_of_undo(undo):
    owner = {"metadata": {"name": "heat", "namespace": "default", "uid": "u1"}, "spec": {"minMember": 2}}
    parts = made_parts(OWNERS[Source.POD_GROUP], owner)
    made = made_gang("podgroup.heat", owner, parts)
    changed = {
        **made,
        "metadata": {**metadata("podgroup.heat", namespace="default", generation=2), **made["metadata"]},
        "spec": {**made["spec"], "undo": undo},
    }

    assert is_as_made(parse_pod_gang(changed), parts)


@pytest.mark.parametrize(
    ("size", "spec"),
    [
        pytest.param({"min": 3, "max": 2}, {}, id="an empty range"),
        pytest.param({"min": 0}, {}, id="no pod at least"),
        pytest.param({"min": 1, "max": 10_001}, {}, id="too many"),
        pytest.param({"min": 1}, {"deadline": "soon"}, id="a deadline that is no duration"),
        pytest.param({"min": 1}, {"sizing": "Largest"}, id="an unknown sizing"),
        pytest.param({"min": 1}, {"undo": "Delete"}, id="an unknown undo"),
    ],
)
def test_spec_that_makes_no_sense_is_refused_and_the_gang_is_known(size, spec):
    gang = parse(size, **spec)

    assert isinstance(gang.asks, Refusal)
    assert gang.asks.reason is Reason.INVALID_SPEC
    assert gang.uid


def test_status_is_read_as_that_of_a_gangjob():
    status = parse(status={"attempt": 3, "reservedAt": "2026-11-27T12:00:00Z"}).status

    assert status.attempt == 3
    assert status.reserved_at is not None
