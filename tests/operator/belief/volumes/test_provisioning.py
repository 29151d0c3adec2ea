"""On which nodes claims can get volumes: by what is there, by what a class allows and a driver publishes."""

import pytest

from builders.facts import GIB, claim_fact, gang_fact, gang_spec, node_fact, volume_fact, volume_request
from coschedule import NodeTerm, Requirement
from lockstep.belief.state import State
from lockstep.belief.volumes.storage import NO_PROVISIONER
from lockstep.facts.cluster.volume import (
    CapacityKey,
    ClaimKey,
    ClaimUse,
    CsiDriver,
    Sharing,
    StorageCapacity,
    StorageClass,
    VolumeHolder,
)
from lockstep.snapshot.volumes.volume_demand import demand_of

DRIVER = "disk.example.com"
EAST = (NodeTerm((Requirement("zone", "In", ("east",)),), ()),)
NOWHERE, NO_ROOM = (
    "where no volume suits its claims, and none can be created",
    "without room for the volumes of its claims",
)


def state_with(*, provisioner=DRIVER, topologies=None, publishes=False, rooms=(), volumes=(), claims=()):
    state = State(lambda: None)
    for name, zone in (("n1", "east"), ("n2", "east"), ("n3", "west")):
        state.nodes.apply(node_fact(name, labels={"zone": zone, "host": name}))
    storage = state.claims.storage
    storage.classes.apply(StorageClass("local", provisioner, waits=True, topologies=topologies, is_default=True))
    storage.drivers.apply(CsiDriver(DRIVER, publishes))
    for number, (largest, labels) in enumerate(rooms):
        selector = None if labels is None else tuple(Requirement(*it, ("east",)) for it in labels)
        storage.capacities.apply(StorageCapacity(CapacityKey("x", str(number)), "local", largest, selector))
    for volume in volumes:
        state.claims.apply_volume(volume)
    for claim in claims:
        state.claims.apply_claim(claim)
    return state


def kept(**wished):
    return ClaimUse("volumeClaimTemplates[0]", "data", Sharing.KEPT, volume_request(mode="ReadWriteOnce", **wished))


def demand(state, *uses, size=2):
    gang = gang_fact("g", spec=gang_spec(size=size, claims=uses or (kept(),)))
    found = demand_of(state, gang, gang.spec.roles[0])
    return {phrase: set(names) for phrase, names in found.barred}, dict(found.most)


@pytest.mark.parametrize(
    ("ways", "want"),
    [
        pytest.param({}, {}, id="anywhere"),
        pytest.param({"topologies": EAST}, {NOWHERE: {"n3"}}, id="where the class allows"),
        pytest.param({"topologies": ()}, {NOWHERE: {"n1", "n2", "n3"}}, id="topologies that allow nothing"),
        pytest.param({"provisioner": NO_PROVISIONER}, {NOWHERE: {"n1", "n2", "n3"}}, id="no provisioner makes volumes"),
        pytest.param({"publishes": True}, {NO_ROOM: {"n1", "n2", "n3"}}, id="no room is published"),
        pytest.param({"publishes": True, "rooms": [(GIB, [("zone", "In")])]}, {NO_ROOM: {"n3"}}, id="room in one zone"),
        pytest.param(
            {"publishes": True, "rooms": [(GIB - 1, []), (None, [])]}, {NO_ROOM: {"n1", "n2", "n3"}}, id="too little"
        ),
        pytest.param({"publishes": True, "rooms": [(GIB, None)]}, {NO_ROOM: {"n1", "n2", "n3"}}, id="room of no node"),
        pytest.param({"rooms": [(0, [])]}, {}, id="what a driver publishes that does not say so is not asked"),
    ],
)
def test_volumes_can_be_made(ways, want):
    assert demand(state_with(**ways)) == (want, {})


@pytest.mark.parametrize(
    ("volumes", "want_without", "want_most"),
    [
        pytest.param([volume_fact(on=["n2"])], {"n1", "n3"}, {"n2": 1}, id="one for one member"),
        pytest.param([volume_fact("a", on=["n2"]), volume_fact("b", on=["n2"])], {"n1", "n3"}, {}, id="two for two"),
        pytest.param([volume_fact(on=["n2"], size=GIB - 1)], {"n1", "n2", "n3"}, {}, id="too small"),
        pytest.param([volume_fact(on=["n2"], is_available=False)], {"n1", "n2", "n3"}, {}, id="not available"),
        pytest.param([volume_fact(on=["n2"], is_deleting=True)], {"n1", "n2", "n3"}, {}, id="going"),
        pytest.param([volume_fact(on=["n2"], is_block=True)], {"n1", "n2", "n3"}, {}, id="a block device"),
        pytest.param([volume_fact(on=["n2"], storage_class="x")], {"n1", "n2", "n3"}, {}, id="of another class"),
        pytest.param([volume_fact(on=["n2"], attributes_class="x")], {"n1", "n2", "n3"}, {}, id="other attributes"),
        pytest.param(
            [volume_fact(on=["n2"], modes=frozenset({"ReadOnlyMany"}))], {"n1", "n2", "n3"}, {}, id="to be read only"
        ),
        pytest.param(
            [volume_fact(on=["n2"], holder=VolumeHolder(ClaimKey("default", "other"), "u"))],
            {"n1", "n2", "n3"},
            {},
            id="foreign",
        ),
        pytest.param(
            [volume_fact(on=["n2"], holder=VolumeHolder(ClaimKey("default", "data-g-0"), ""))],
            {"n1", "n3"},
            {"n2": 1},
            id="reserved for the claim that is yet to be made",
        ),
    ],
)
def test_volumes_that_are_there_are_counted(volumes, want_without, want_most):
    state = state_with(provisioner=NO_PROVISIONER, volumes=volumes)

    assert demand(state) == ({NOWHERE: want_without}, want_most)


def test_claim_takes_a_volume_that_is_there_where_none_can_be_made():
    state = state_with(topologies=EAST, volumes=[volume_fact(on=["n3"])])

    assert demand(state) == ({}, {"n3": 1})


def test_selector_of_a_claim_chooses_among_volumes():
    state = state_with(
        provisioner=NO_PROVISIONER,
        volumes=[volume_fact("a", on=["n1"], labels={"tier": "x"}), volume_fact("b", on=["n2"])],
    )
    asked = kept(selector=(Requirement("tier", "In", ("x",)),))

    assert demand(state, asked, size=1) == ({NOWHERE: {"n2", "n3"}}, {})


def test_claim_without_a_class_is_of_the_default_one():
    state = state_with(topologies=EAST)

    assert demand(state, kept(storage_class=None)) == ({NOWHERE: {"n3"}}, {})


def test_node_that_a_shared_claim_has_got_is_the_only_one():
    state = state_with(claims=[claim_fact(selected_node="n2")])

    barred, _ = demand(state, ClaimUse("template.spec.volumes[0].persistentVolumeClaim", "data"))

    assert barred["other than n2, for which the volume of claim data is created"] == {"n1", "n3"}


def test_node_that_failed_is_left_out_until_its_time_is_over():
    state = state_with()
    state.failed_nodes.record_without_volumes("uid-of-g", ["n1"], -200.0)
    assert demand(state)[0] == {"where its volumes could not be created recently": {"n1"}}
    state.changes.begin_plan()

    assert state.failed_nodes.next_end() == 100.0
    state.failed_nodes.expire(99.0)
    assert demand(state)[0]
    state.failed_nodes.expire(100.0)

    assert demand(state)[0] == {}
    assert state.failed_nodes.next_end() == float("inf")
