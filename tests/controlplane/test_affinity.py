"""Members stand as their template and ``placement`` require: near pods, away from them, one a host, all in one zone."""

import pytest

from builders.manifests import foreign_pod, gang, member_container

pytestmark = pytest.mark.usefixtures("operator")

HOST, ZONE = "kubernetes.io/hostname", "topology.kubernetes.io/zone"
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
OF_GANGS = {"matchExpressions": [{"key": "lockstep.dev/gang", "operator": "Exists"}]}
NEAR, APART = "podAffinity", "podAntiAffinity"


def required(kind, key, selector, **more):
    """The part of a pod's spec that has one such term."""
    return {"affinity": {kind: {REQUIRED: [{"topologyKey": key, "labelSelector": selector, **more}]}}}


def app(name):
    return {"matchLabels": {"app": name}}


def labelled(manifest, name):
    """The same pod, or gang, whose pods are of that app."""
    of = manifest["spec"].get("template", manifest)
    of["metadata"]["labels"] = {"app": name}
    return manifest


def zones(arena, east=1, west=1, **more):
    """Nodes of two zones."""
    return (
        arena.add_nodes(east, labels={ZONE: f"{arena.pool}-east"}, **more),
        arena.add_nodes(west, labels={ZONE: f"{arena.pool}-west"}, **more),
    )


# Towards pods of others


def test_members_go_to_the_zone_of_the_pod_for_which_they_ask(arena):
    _, west = zones(arena, west=2)
    arena.create(labelled(foreign_pod("cache", west[0], cpu="4"), "cache"))

    arena.submit(gang("heat", size=4, pod=required(NEAR, ZONE, app("cache"))))

    arena.until_placed("heat")
    assert set(arena.nodes_of("heat")) == {west[1]}


def test_members_wait_for_the_pod_for_which_they_ask(arena):
    [node] = arena.add_nodes(1)
    arena.submit(gang("heat", pod=required(NEAR, HOST, app("cache"))))
    says = arena.until("heat", "Planned", "False", "NoNodeFits")["message"]
    assert "without a pod nearby that its affinity requires" in says

    arena.create(labelled(foreign_pod("cache", node), "cache"))

    arena.until_placed("heat")


def test_members_keep_away_from_the_pods_that_they_avoid(arena):
    taken, free = arena.add_nodes(2)
    arena.create(labelled(foreign_pod("noisy", taken), "noisy"))

    arena.submit(gang("heat", size=4, pod=required(APART, HOST, app("noisy"))))

    arena.until_placed("heat")
    assert set(arena.nodes_of("heat")) == {free}


def test_gangs_that_avoid_each_other_share_no_node(arena):
    arena.add_nodes(2)
    mine_apart = required(APART, HOST, OF_GANGS, mismatchLabelKeys=["lockstep.dev/gang"])

    for name in ("first", "second"):
        arena.submit(gang(name, size=2, pod=mine_apart))

    arena.until_placed("first", "second")
    first, second = (set(arena.nodes_of(name)) for name in ("first", "second"))
    assert not first & second
    assert {arena.condition(name, "Accepted")["reason"] for name in ("first", "second")} == {"SpecUnderstood"}


# Among the gang's own members


def test_one_member_a_host(arena):
    nodes = arena.add_nodes(3)

    arena.submit(gang("heat", size=(1, 8), work={"serialTime": "1h"}, placement={"onePer": HOST}))

    arena.until_placed("heat")
    assert arena.nodes_of("heat") == nodes


def test_members_that_avoid_their_own_kind_are_one_a_host(arena):
    nodes = arena.add_nodes(3)

    arena.submit(labelled(gang("heat", size=3, pod=required(APART, HOST, app("heat"))), "heat"))

    arena.until_placed("heat")
    assert arena.nodes_of("heat") == nodes


def test_more_members_than_hosts_are_refused_with_a_sentence(arena):
    arena.add_nodes(2)

    arena.submit(gang("heat", size=3, placement={"onePer": HOST}))

    assert arena.until("heat", "Planned", "False")["message"].endswith(".")
    assert arena.pods("heat") == []


@pytest.mark.parametrize(
    "wish",
    [
        pytest.param({"placement": {"allIn": ZONE}}, id="placement"),
        pytest.param({"pod": required(NEAR, ZONE, {}, matchLabelKeys=["lockstep.dev/gang"])}, id="affinity"),
    ],
)
def test_all_members_are_in_the_zone_that_has_room_for_all(arena, wish):
    _, west = zones(arena, east=1, west=2)

    arena.submit(gang("heat", size=6, **wish))

    arena.until_placed("heat")
    assert set(arena.nodes_of("heat")) <= set(west)


def test_all_in_one_zone_and_one_a_host(arena):
    zones(arena, east=1, west=1)
    north = arena.add_nodes(2, labels={ZONE: f"{arena.pool}-north"})

    arena.submit(gang("heat", size=2, placement={"onePer": HOST, "allIn": ZONE}))

    arena.until_placed("heat")
    assert arena.nodes_of("heat") == north


def test_launcher_stays_apart_from_the_workers(arena):
    arena.add_nodes(3)
    of_workers = {"matchLabels": {"lockstep.dev/role": "workers", "lockstep.dev/gang": "heat"}}
    arena.submit(with_launcher("1", "1", workers=4, launcher=required(APART, HOST, of_workers)))

    arena.until_placed("heat")
    by_role = {role: set() for role in ("launcher", "workers")}
    for pod in arena.pods("heat"):
        by_role[pod["metadata"]["labels"]["lockstep.dev/role"]].add(pod["spec"]["nodeName"])
    assert not by_role["launcher"] & by_role["workers"]


def test_condition_names_the_short_resource_of_roles_that_do_not_fit_together(arena):
    arena.add_nodes(1, cpu="4")

    arena.submit(with_launcher("3", "1500m", workers=2))

    arena.until("heat", "Planned", "False", "NoRoomTogether")
    want = "3 members: each of its 2 roles would fit alone, but not all together; cpu: 6 needed, 4 free"
    assert want in arena.condition("heat", "Planned")["message"]


def with_launcher(cpu, of_worker, *, workers, launcher=None):
    """A gang of a launcher and so many workers, which take so much CPU; more of the launcher's spec."""
    spec = {"containers": [member_container(cpu)], **(launcher or {})}
    of_workers = {"spec": {"containers": [member_container(of_worker)]}}
    roles = [
        {"name": "launcher", "size": {"min": 1, "max": 1}, "load": "None", "template": {"spec": spec}},
        {"name": "workers", "size": {"min": workers, "max": workers}, "template": of_workers},
    ]
    return {**gang("heat"), "spec": {"roles": roles}}


# What is only preferred


def test_what_is_only_preferred_is_said_to_be_not_weighed(arena):
    arena.add_nodes(1)
    weighted = {"weight": 1, "podAffinityTerm": {"topologyKey": HOST, "labelSelector": {}}}

    arena.submit(gang("heat", pod={"affinity": {APART: {PREFERRED: [weighted]}}}))

    arena.until_placed("heat")
    assert arena.condition("heat", "Accepted")["message"] == (
        "Lockstep can do what the spec says. Lockstep ignores these preferences:"
        f" template.spec.affinity.podAntiAffinity.{PREFERRED}."
    )
