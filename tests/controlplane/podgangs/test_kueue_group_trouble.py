"""Groups of Kueue whose pods go, come again or change their minds at the worst moments."""

import pytest

from eventually import eventually
from live.kueue_groups import COUNT, KueueGroup
from live.proxy import Injected

pytestmark = pytest.mark.usefixtures("operator")


@pytest.fixture(scope="module")
def operator(sources, behind_proxy):
    """An operator that talks to the proxy; one for all tests of a file."""
    assert sources
    with behind_proxy("kueuegroup") as process:
        yield process


@pytest.fixture
def group(gangs):
    """The group of the test's own."""
    return KueueGroup(gangs)


@pytest.mark.search("gangs of pods that the next process goes on with")
def test_process_that_ends_between_two_bindings_leaves_the_rest_to_the_next(arena, gangs, group, proxy, operator):
    sent = []

    def fault(_verb, resource):
        if resource == "pods/binding":
            sent.append(resource)
        return Injected(0) if len(sent) > 1 else None

    proxy.fault = fault
    arena.add_nodes(3, cpu="1")
    group.create("a", "b", "c", count=3)
    eventually(lambda: gangs.bound(group.gang) == 1)
    operator.kill()
    proxy.reset()

    operator.start()

    gangs.until(group.gang, "Placed")
    assert gangs.bound(group.gang) == 3
    assert gangs.status(group.gang)["attempt"] == 1


def test_gang_that_is_made_anew_between_two_bindings_places_the_rest(arena, gangs, group, proxy):
    sent = []

    def fault(_verb, resource):
        if resource == "pods/binding":
            sent.append(resource)
        if len(sent) == 2:
            gangs.delete(group.gang)

    proxy.fault = fault
    arena.add_nodes(3, cpu="1")

    group.create("a", "b", "c", count=3)

    eventually(lambda: gangs.bound(group.gang) == 3)
    gangs.until(group.gang, "Placed")


def test_pod_that_is_deleted_before_its_binding_is_replaced(arena, gangs, group, proxy):
    def fault(_verb, resource):
        if resource == "pods/binding":
            proxy.reset()
            gangs.api.request("DELETE", f"{arena.core}/pods/b?gracePeriodSeconds=0")

    proxy.fault = fault
    arena.add_nodes(2, cpu="1")
    group.create("a", "b", count=2)
    eventually(lambda: "b" not in group.pods())

    group.create("c", count=2)

    eventually(lambda: gangs.bound(group.gang) == 2)


def test_pod_that_is_too_much_beside_pods_that_run_is_said_and_costs_these_nothing(arena, gangs, group):
    arena.add_nodes(1, cpu="4")
    group.create("a", "b", count=2)
    gangs.until(group.gang, "Placed")

    group.create("c", count=2)
    says = gangs.until(group.gang, "Accepted", "False", "InvalidSpec")
    group.delete("c")

    assert "3 pods name the group" in says["message"]
    gangs.until(group.gang, "Accepted")
    assert gangs.bound(group.gang) == 2


def test_count_that_changes_while_pods_run_leaves_them_alone(arena, gangs, group):
    arena.add_nodes(1, cpu="4")
    group.create("a", "b", count=2)
    gangs.until(group.gang, "Placed")

    for name in "ab":
        body = {"metadata": {"annotations": {COUNT: "3"}}}
        gangs.api.request("PATCH", f"{arena.core}/pods/{name}", body)
    group.create("c", count=3)

    eventually(lambda: gangs.bound(group.gang) == 3)


def test_group_whose_pods_are_all_replaced_one_by_one_keeps_its_gang(arena, gangs, group):
    arena.add_nodes(1, cpu="8")
    group.create("a", "b", "c", count=3)
    gangs.until(group.gang, "Placed")
    eventually(lambda: sorted(group.owners()) == ["a", "b", "c"])
    made = group.made()["uid"]

    for old, new in zip("abc", "xyz", strict=True):
        group.delete(old)
        group.create(new, count=3)
        eventually(lambda new=new, old=old: new in group.owners() and old not in group.owners())

    eventually(lambda: gangs.bound(group.gang) == 3)
    assert group.made()["uid"] == made


def test_group_that_comes_again_at_once_is_placed_again(arena, gangs, group):
    arena.add_nodes(1, cpu="2")
    for _ in range(3):
        group.create("a", "b", count=2)
        eventually(lambda: gangs.bound(group.gang) == 2)
        group.delete("a", "b")

    eventually(lambda: not gangs.exists(group.gang))


def test_two_groups_that_hold_each_other_up_are_placed_one_after_the_other(arena, gangs, group):
    arena.add_nodes(3, cpu="1")
    group.create("a", "b", count=2)
    other = [("x", {"kueue.x-k8s.io/pod-group-name": "ice"}), ("y", {"kueue.x-k8s.io/pod-group-name": "ice"})]
    for name, labels in other:
        metadata = {"name": name, "labels": labels, "annotations": {COUNT: "2"}}
        arena.create({"apiVersion": "v1", "kind": "Pod", **gangs.template(""), "metadata": metadata})
    eventually(lambda: sorted((gangs.bound(group.gang), gangs.bound("kueuegroup.ice"))) == [0, 2])

    placed, follows = sorted((group.gang, "kueuegroup.ice"), key=gangs.bound, reverse=True)
    for name in [pod["metadata"]["name"] for pod in gangs.pods(placed)]:
        gangs.api.request("DELETE", f"{arena.core}/pods/{name}?gracePeriodSeconds=0")

    eventually(lambda: gangs.bound(follows) == 2)
