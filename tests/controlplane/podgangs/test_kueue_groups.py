"""Plain pods that name a group of Kueue are a gang, which some of them own."""

import pytest

from eventually import eventually
from live.examples import apply_example
from live.kueue_groups import COUNT, GATE, NAME, KueueGroup

RACK = "kueue.x-k8s.io/podset-required-topology"

pytestmark = pytest.mark.usefixtures("operator")


@pytest.fixture
def group(gangs):
    """The group of the test's own."""
    return KueueGroup(gangs)


def test_pods_of_a_group_are_placed_when_all_are_there(arena, gangs, group):
    arena.add_nodes(2, cpu="2")
    group.create("a", "b", "c", count=4)
    eventually(lambda: "3 of the 4 needed pods" in gangs.condition(group.gang, "Planned").get("message", ""))

    group.create("d", count=4)

    gangs.until(group.gang, "Placed")
    assert gangs.bound(group.gang) == 4
    assert gangs.spec(group.gang) == {"size": {"min": 4}}


def test_pods_that_kueue_has_not_admitted_are_not_placed(arena, gangs, group):
    arena.add_nodes(1, cpu="4")
    group.create("a", "b", count=2, schedulingGates=[{"name": GATE}])
    group.admit("a")
    eventually(lambda: "1 of the 2 needed pods" in gangs.condition(group.gang, "Planned").get("message", ""))

    group.admit("b")

    gangs.until(group.gang, "Placed")
    assert gangs.bound(group.gang) == 2


def test_gang_goes_with_the_last_pod(arena, gangs, group):
    arena.add_nodes(1, cpu="4")
    group.create("a", "b", "c", count=3)
    gangs.until(group.gang, "Placed")
    eventually(lambda: sorted(group.owners()) == ["a", "b", "c"])
    made = group.made()["uid"]

    group.delete("a", "b")
    eventually(lambda: group.owners() == ["c"])
    assert group.made()["uid"] == made

    group.delete("c")
    eventually(lambda: not gangs.exists(group.gang))


def test_other_pods_own_the_gang_when_those_that_did_are_gone(arena, gangs, group):
    arena.add_nodes(1, cpu="10")
    names = [f"p{number}" for number in range(10)]
    group.create(*names, count=10)
    gangs.until(group.gang, "Placed")
    # It is made when the first of them are there, so it has between three and eight.
    eventually(lambda: len(group.owners()) >= 3)
    assert len(group.owners()) <= 8
    made, gone = group.made()["uid"], group.owners()[1:]
    group.delete(*gone)

    eventually(lambda: len({*group.owners()} - {*gone}) >= 3)
    assert group.made()["uid"] == made


def test_gang_that_is_deleted_while_its_pods_run_is_made_anew(arena, gangs, group):
    arena.add_nodes(1, cpu="4")
    group.create("a", "b", count=2)
    gangs.until(group.gang, "Placed")
    before = group.made()["uid"]

    gangs.delete(group.gang)

    eventually(lambda: gangs.exists(group.gang) and group.made()["uid"] != before)
    gangs.until(group.gang, "Placed")


@pytest.mark.parametrize(
    ("counts", "sentence"),
    [
        pytest.param([2, 3], f"annotation {COUNT} is '2' in pod a, and '3' in pod b", id="different counts"),
        pytest.param([2, None], f"annotation {COUNT} is '2' in pod a, and missing in pod b", id="one without a count"),
        pytest.param([None, None], f"Annotation {COUNT} is missing in pod a: write a number", id="no count"),
        pytest.param(["two", "two"], f"Annotation {COUNT} is 'two' in pod a: write a number", id="a count in words"),
        pytest.param([0, 0], f"Annotation {COUNT} is '0' in pod a: write a number", id="no pods"),
        pytest.param([10_001] * 2, f"Annotation {COUNT} is '10001' in pod a: write a number", id="too large a count"),
        pytest.param([1, 1], f"2 pods name the group, and annotation {COUNT} says 1", id="more pods than the count"),
    ],
)
def test_count_that_makes_no_sense_is_said_about_a_pod_and_by_the_gang(arena, gangs, group, counts, sentence):
    arena.add_nodes(1, cpu="4")
    for name, count in zip("ab", counts, strict=True):
        group.create(name, count=count, schedulingGates=[{"name": GATE}])
    group.admit("a", "b")

    says = gangs.until(group.gang, "Accepted", "False", "InvalidSpec")

    assert sentence in says["message"]
    eventually(lambda: group.reasons("a", "b").get("InvalidSpec") == says["message"])
    assert gangs.bound(group.gang) == 0


def test_group_is_placed_when_the_pod_that_was_too_much_is_deleted(arena, gangs, group):
    arena.add_nodes(1, cpu="4")
    group.create("a", "b", "c", count=2, schedulingGates=[{"name": GATE}])
    group.admit("a", "b", "c")
    gangs.until(group.gang, "Accepted", "False", "InvalidSpec")

    group.delete("c")

    gangs.until(group.gang, "Placed")
    assert gangs.bound(group.gang) == 2


def test_pod_in_the_place_of_one_that_failed_is_placed_beside_the_others(arena, gangs, group):
    arena.add_nodes(2, cpu="2")
    group.create("a", "b", count=2)
    gangs.until(group.gang, "Placed")
    arena.patch_pod_status("a", {"phase": "Failed"})

    group.create("c", count=2)

    eventually(lambda: gangs.bound(group.gang) == 3)


def test_pod_in_the_place_of_the_last_one_that_failed_is_placed_alone(arena, gangs, group):
    arena.add_nodes(1, cpu="2")
    group.create("a", "b", count=2)
    gangs.until(group.gang, "Placed")
    arena.patch_pod_status("a", {"phase": "Succeeded"})
    arena.patch_pod_status("b", {"phase": "Failed"})

    group.create("c", count=2)

    eventually(lambda: gangs.bound(group.gang) == 3)


def test_group_of_the_same_name_that_is_larger_is_not_placed_in_part(arena, gangs, group):
    arena.add_nodes(1, cpu="2")
    group.create("a", "b", count=2)
    gangs.until(group.gang, "Placed")
    group.delete("a", "b")

    # With other names: kwok deletes pods by name, and may do so again when the next one has it.
    group.create("c", "d", "e", count=3)

    eventually(lambda: "It needs 3 members" in gangs.condition(group.gang, "Planned").get("message", ""))
    assert gangs.bound(group.gang) == 0
    arena.add_nodes(1, cpu="2")
    eventually(lambda: gangs.bound(group.gang) == 3)


def test_group_that_requires_one_domain_is_placed_in_one(arena, gangs, group):
    arena.add_nodes(1, cpu="3", labels={"example.com/rack": "narrow"})
    arena.add_nodes(2, cpu="2", labels={"example.com/rack": "wide"})

    group.create("a", "b", "c", "d", count=4, annotations={RACK: "example.com/rack"})

    gangs.until(group.gang, "Placed")
    assert set(gangs.nodes_of(group.gang)) == set(arena.nodes[1:])


def test_annotation_that_is_no_value_is_refused_with_a_sentence(arena, gangs, group):
    group.create("a", count=1, annotations={"lockstep.dev/serial-time": "soon"})

    says = gangs.until(group.gang, "Accepted", "False", "InvalidSpec")

    assert says["message"].startswith("Pod: annotation lockstep.dev/serial-time: 'soon' is not a duration")
    eventually(lambda: group.reasons("a").get("InvalidSpec") == says["message"])


def test_pods_of_a_group_that_come_one_by_one_are_placed_as_they_come(arena, gangs, group):
    arena.add_nodes(1, cpu="4")
    fast = {"kueue.x-k8s.io/pod-group-fast-admission": "true"}
    group.create("a", count=3, annotations=fast)
    gangs.until(group.gang, "Placed")

    group.create("b", "c", count=3, annotations=fast)

    eventually(lambda: gangs.bound(group.gang) == 3)


def test_pods_of_a_job_belong_to_the_job_whatever_group_they_name(arena, gangs):
    arena.add_nodes(1, cpu="4")
    template = gangs.template("", annotations={COUNT: "7"})
    template["metadata"]["labels"] = {NAME: "heat"}

    gangs.create_job("", 2, name="heat", template=template)

    gangs.until("job.heat", "Placed")
    assert gangs.bound("job.heat") == 2


def test_name_of_a_group_that_can_be_no_name_of_a_gang_is_said_about_a_pod(arena, gangs, group):
    metadata = {"name": "a", "labels": {NAME: "Heat_1"}, "annotations": {COUNT: "1"}}
    arena.create({"apiVersion": "v1", "kind": "Pod", **gangs.template(""), "metadata": metadata})

    eventually(lambda: "GangMissing" in group.reasons("a"))

    assert "Invalid value" in group.reasons("a")["GangMissing"]


def test_example_is_placed(arena, gangs, group):
    arena.add_nodes(1, cpu="4")

    apply_example(arena, "kueuegroup")

    gangs.until(group.gang, "Placed")
    assert gangs.bound(group.gang) == 3
