"""An attempt whose members need volumes: nodes are selected, volumes awaited, and both survive a kill at any point."""

from contextlib import asynccontextmanager

import pytest

from builders.served import gang, node
from builders.volumes import claim_templates, ephemeral
from fake_cluster.api import ANSWER_LOST, DELETE, GET, NEVER_ARRIVED, PATCH, POST
from fake_cluster.jumping import until
from fake_cluster.rig import (
    api_with,
    bound,
    condition,
    gang_place,
    is_placed,
    leave_before,
    pods_of,
    running_operator,
    status_of,
)
from fake_cluster.storage import CLASS, SELECTED_NODE, add_class, add_volume, claim_place, storage_of
from lockstep.act.requests.window import LEAST_MEMBERS

pytestmark = pytest.mark.asyncio

CLAIMS, VOLUMES = "persistentvolumeclaims", "persistentvolumes"
KEPT = {"volumeClaimTemplates": claim_templates(CLASS)}
NAMES = [f"n{number}" for number in range(1, 5)]


@asynccontextmanager
async def cluster(*, pod_spec=None, spec=KEPT, size=2, nodes=NAMES, provisioner="disk.example.com"):
    """Nodes with room for one member each, the class, and a gang of that many members with volumes."""
    manifest = gang("g", size=size, pod_spec=pod_spec, spec=spec)
    async with api_with(*(node(name, cpu="1") for name in nodes), gangs=[manifest]) as api:
        add_class(api, provisioner=provisioner)
        yield api


def claims(api):
    return {one["metadata"]["name"]: one for one in api.store.objects(CLAIMS)}


def selected(api, name="data-g-0"):
    return claims(api)[name]["metadata"].get("annotations", {}).get(SELECTED_NODE)


def volume_nodes(api):
    """The node that reaches the volume of each claim that has one."""
    bound_ones = {name: claim["spec"].get("volumeName") for name, claim in claims(api).items()}
    return {name: _node_of(api, volume) for name, volume in bound_ones.items() if volume}


def _node_of(api, volume):
    [found] = [one for one in api.store.objects(VOLUMES) if one["metadata"]["name"] == volume]
    return found["spec"]["nodeAffinity"]["required"]["nodeSelectorTerms"][0]["matchFields"][0]["values"][0]


def assert_each_member_is_where_its_volume_is(api, size=2):
    pods = {one["metadata"]["labels"]["lockstep.dev/rank"]: one["spec"]["nodeName"] for one in pods_of(api, "g")}
    assert volume_nodes(api) == {f"data-g-{rank}": name for rank, name in pods.items()}
    assert len(pods) == size


@pytest.mark.parametrize(
    "request_kind",
    [
        pytest.param((POST, CLAIMS), id="a claim is made"),
        pytest.param((POST, "pods"), id="a pod is made"),
        pytest.param((GET, CLAIMS), id="a claim is looked at"),
        pytest.param((PATCH, CLAIMS), id="a claim gets its node"),
        pytest.param((POST, "pods/binding"), id="a pod is bound"),
    ],
)
async def test_next_process_goes_on_where_one_was_killed_before(request_kind):
    async with cluster() as api, storage_of(api):
        await leave_before(api, request_kind)

        async with running_operator(api):
            await until(lambda: is_placed(api))
        assert_each_member_is_where_its_volume_is(api)
        assert status_of(api)["attempt"] == 1


@pytest.mark.parametrize(
    "request_kind",
    [
        pytest.param((DELETE, "pods"), id="a pod is deleted"),
        pytest.param((PATCH, CLAIMS), id="a node is taken off a claim"),
    ],
)
async def test_next_process_takes_claims_back_where_one_was_killed_while_undoing(request_kind):
    async with cluster(size=1) as api, storage_of(api, ignores={"n1"}):
        async with running_operator(api):
            await until(lambda: claims(api) and selected(api) == "n1")
        await leave_before(api, request_kind)
        assert selected(api) == "n1"

        # It does not know that the node has failed, and learns it again.
        async with running_operator(api):
            await until(lambda: is_placed(api), seconds=2000)
        assert bound(pods_of(api, "g")) == [selected(api)]


async def test_gang_that_waits_for_volumes_keeps_no_other_out():
    async with cluster() as api, running_operator(api) as parts:
        await until(lambda: len(claims(api)) == 2 and selected(api))

        assert not await parts.services.window.stay(LEAST_MEMBERS).enter()


@pytest.mark.parametrize("fault", [NEVER_ARRIVED, ANSWER_LOST])
@pytest.mark.parametrize("request_kind", [(POST, CLAIMS), (PATCH, CLAIMS), (GET, CLAIMS)])
async def test_request_that_breaks_is_repeated(request_kind, fault):
    broken = []

    def once(request):
        if request[:2] == request_kind and not broken:
            broken.append(request)
            return fault
        return None

    async with cluster() as api, storage_of(api):
        api.fault = once
        async with running_operator(api):
            await until(lambda: is_placed(api))
        assert broken
        assert_each_member_is_where_its_volume_is(api)
        assert status_of(api)["attempt"] == 1


async def test_claim_that_changes_meanwhile_gets_its_node_all_the_same():
    async with cluster(size=1) as api, storage_of(api):
        changed = []

        def change(request):
            if request[:2] == (PATCH, CLAIMS) and len(changed) < 3:
                changed.append(request)
                api.store.change(claim_place(request.name), metadata={"labels": {"seen": str(len(changed))}})

        api.fault = change
        async with running_operator(api):
            await until(lambda: is_placed(api))
        assert claims(api)["data-g-0"]["metadata"]["labels"] == {"seen": "3"}
        assert status_of(api)["attempt"] == 1


async def test_no_member_is_bound_before_all_volumes_are_there():
    async with cluster() as api, storage_of(api, ignores={"n2"}) as storage:
        async with running_operator(api):
            await until(lambda: "volumeName" in claims(api).get("data-g-0", {"spec": {}})["spec"])
            assert selected(api, "data-g-1") == "n2"
            assert bound(pods_of(api, "g")) == []

            storage.ignores.clear()
            await until(lambda: is_placed(api))
        assert status_of(api)["attempt"] == 1


async def test_refused_member_goes_elsewhere_and_the_other_stays_where_its_volume_is():
    async with cluster() as api, storage_of(api, refuses={"n2"}) as storage:
        async with running_operator(api) as parts:
            await until(lambda: is_placed(api))
            assert parts.metric("lockstep_attempts_undone_total", reason="VolumeNotProvided") == 1
        assert volume_nodes(api) == {"data-g-0": "n1", "data-g-1": "n3"}
        assert storage.selected == [("data-g-0", "n1"), ("data-g-1", "n2"), ("data-g-1", "n3")]
        assert_each_member_is_where_its_volume_is(api)


async def test_volume_that_takes_too_long_is_made_elsewhere_and_its_claim_kept():
    async with cluster(size=1) as api, storage_of(api, ignores={"n1"}):
        async with running_operator(api):
            await until(lambda: claims(api))
            uid = claims(api)["data-g-0"]["metadata"]["uid"]
            await until(lambda: is_placed(api), seconds=1200)
        assert volume_nodes(api) == {"data-g-0": "n2"}
        assert claims(api)["data-g-0"]["metadata"]["uid"] == uid


async def test_node_that_failed_is_tried_again_after_a_while():
    async with cluster(size=1, nodes=["n1"]) as api, storage_of(api, refuses={"n1"}) as storage:
        async with running_operator(api):
            await until(lambda: condition(api, "g", "Planned") == ("False", "NoNodeFits"))
            storage.refuses.clear()
            await until(lambda: is_placed(api))
        assert storage.selected == [("data-g-0", "n1")] * 2


async def test_claim_that_is_deleted_while_it_is_awaited_is_made_again():
    async with cluster(size=1) as api, storage_of(api, ignores=set(NAMES)) as storage:
        async with running_operator(api) as parts:
            await until(lambda: claims(api) and selected(api))
            api.store.remove(claim_place("data-g-0"))
            storage.ignores.clear()
            await until(lambda: is_placed(api))
            assert parts.metric("lockstep_attempts_undone_total", reason="ClaimLost") == 1
        assert_each_member_is_where_its_volume_is(api, size=1)


async def test_claim_that_gets_another_node_from_outside_is_followed_there():
    async with cluster(size=1) as api, storage_of(api, ignores={"n1"}):
        async with running_operator(api) as parts:
            await until(lambda: claims(api) and selected(api) == "n1")
            api.store.change(claim_place("data-g-0"), metadata={"annotations": {SELECTED_NODE: "n4"}})
            await until(lambda: is_placed(api))
            assert parts.metric("lockstep_attempts_undone_total", reason="NoLongerFits") == 1
        assert volume_nodes(api) == {"data-g-0": "n4"}


async def test_claim_of_an_earlier_gang_is_not_used():
    async with cluster(size=1) as api, storage_of(api):
        owner = {"apiVersion": "lockstep.dev/v1alpha1", "kind": "GangJob", "uid": "earlier", "controller": True}
        spec = claim_templates(CLASS)[0]["spec"]
        earlier = {"name": "data-g-0", "namespace": "default", "ownerReferences": [owner]}
        api.store.add(CLAIMS, {"metadata": earlier, "spec": spec})
        async with running_operator(api):
            await until(lambda: condition(api, "g", "Accepted") == ("False", "ClaimNotReady"))
            api.store.remove(claim_place("data-g-0"))
            await until(lambda: is_placed(api))


async def test_volumes_come_though_no_watch_reports_them():
    async with cluster() as api, storage_of(api):
        api.store.silent |= {CLAIMS, VOLUMES}
        async with running_operator(api):
            await until(lambda: is_placed(api))
        assert_each_member_is_where_its_volume_is(api)


async def test_gang_that_is_deleted_while_it_waits_for_volumes_leaves_no_pod():
    async with cluster() as api, storage_of(api, ignores=set(NAMES)):
        async with running_operator(api):
            await until(lambda: len(claims(api)) == 2 and selected(api) and selected(api, "data-g-1"))
            api.store.remove(gang_place("g"))
            await until(lambda: not pods_of(api, "g"))
        assert bound(pods_of(api, "g")) == []


async def test_claims_that_come_with_their_pods_are_awaited():
    async with cluster(pod_spec=ephemeral(CLASS), spec={}) as api, storage_of(api, refuses={"n1"}):
        async with running_operator(api):
            await until(lambda: is_placed(api))
        nodes = {f"{one['metadata']['name']}-scratch": one["spec"]["nodeName"] for one in pods_of(api, "g")}
        assert nodes.items() <= volume_nodes(api).items()
        assert "n1" not in nodes.values()


async def test_volumes_that_are_there_are_promised_each_to_one_claim():
    async with cluster(provisioner="kubernetes.io/no-provisioner") as api, storage_of(api):
        for name in ("n3", "n4"):
            add_volume(api, f"local-{name}", name, phase="Available")
        async with running_operator(api):
            await until(lambda: is_placed(api))
        assert sorted(volume_nodes(api).values()) == ["n3", "n4"]
        assert_each_member_is_where_its_volume_is(api)


@pytest.mark.parametrize("fault", [NEVER_ARRIVED, ANSWER_LOST])
async def test_next_process_promises_the_same_volumes(fault):
    async with cluster(provisioner="kubernetes.io/no-provisioner") as api, storage_of(api):
        for name in ("n3", "n4"):
            add_volume(api, f"local-{name}", name, phase="Available")
        arrived = []

        def stop_there(request):
            if request[:2] == (PATCH, VOLUMES):
                arrived.append(request)
                return fault if len(arrived) == 1 else NEVER_ARRIVED
            return NEVER_ARRIVED if arrived and request.is_write else None

        api.fault = stop_there
        async with running_operator(api):
            await until(lambda: arrived)
        api.fault = lambda _: None

        async with running_operator(api):
            await until(lambda: is_placed(api))
        assert_each_member_is_where_its_volume_is(api)


async def test_volume_that_is_gone_before_it_is_promised_undoes_the_attempt():
    async with cluster(size=1, provisioner="kubernetes.io/no-provisioner") as api, storage_of(api):
        add_volume(api, "local-n3", "n3", phase="Available")
        add_volume(api, "local-n4", "n4", phase="Available")

        def take(request):
            if request == (GET, VOLUMES, "local-n3") and "claimRef" not in volume()["spec"]:
                other = {"namespace": "default", "name": "other", "uid": "other"}
                api.store.change(
                    claim_place("local-n3")._replace(resource=VOLUMES, namespace=""), spec={"claimRef": other}
                )

        def volume():
            return next(one for one in api.store.objects(VOLUMES) if one["metadata"]["name"] == "local-n3")

        api.fault = take
        async with running_operator(api) as parts:
            await until(lambda: is_placed(api))
            assert parts.metric("lockstep_attempts_undone_total", reason="VolumeNotProvided") == 1
        assert volume_nodes(api) == {"data-g-0": "n4"}
