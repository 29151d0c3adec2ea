"""The labels and names that docs/labels.md promises, and those that are really there: the same."""

import re

import pytest
import pytest_asyncio

from builders.served import gang, role
from builders.volumes import claim_templates
from docs.markdown import ROOT, first_cells
from fake_cluster.jumping import until
from fake_cluster.rig import operator_over
from fake_cluster.storage import CLASS, add_class
from lockstep.api import names
from lockstep.api.podgang import gang_annotations, made_gang

pytestmark = pytest.mark.asyncio

PAGE = ROOT / "docs" / "labels.md"
RESOURCES = {"pods": "pods", "claims": "persistentvolumeclaims", "Services": "services", "ConfigMaps": "configmaps"}
WORKERS = {**role("workers", size=2), "volumeClaimTemplates": claim_templates(CLASS)}
SPEC = {"network": {"rendezvous": "MPI"}}


@pytest_asyncio.fixture
async def made():
    """All that is made of one gang that has whatever a gang can have, by the page's word for it."""
    async with operator_over() as (api, _):
        add_class(api, provisioner="disk.example.com")
        api.store.create("gangjobs", gang("heat", roles=[role("launcher"), WORKERS], spec=SPEC))
        found = {word: [] for word in RESOURCES}

        def all_are_there():
            found.update((word, api.store.objects(resource)) for word, resource in RESOURCES.items())
            return [len(objects) for objects in found.values()] == [3, 2, 1, 1]

        await until(all_are_there)
        yield found


def ours(manifest):
    return {label for label in manifest["metadata"]["labels"] if label.startswith("lockstep.dev/")}


def promised():
    """The labels that each kind of object has, as the page says."""
    labels, _, _ = PAGE.read_text().partition("\n## Annotations\n")
    rows = re.findall(r"^\| `(lockstep\.dev/[\w-]+)` \| .* \| ([^|]+) \|$", labels, re.MULTILINE)
    on = {label: set(kinds.split(", ")) for label, kinds in rows}
    return {word: {label for label, kinds in on.items() if word in kinds} for word in RESOURCES}


async def test_labels_are_those_that_are_promised(made):
    found = {word: set().union(*map(ours, objects)) for word, objects in made.items()}

    assert found == promised()


async def test_every_object_of_a_kind_has_all_of_them(made):
    assert [ours(one) == promised()[word] for word, objects in made.items() for one in objects] == [True] * 7


async def test_names_and_fields_are_those_that_are_promised(made):
    [first, *_] = made["pods"]
    want = {
        "metadata.name": "heat-1-0",
        "metadata.ownerReferences": "GangJob",
        "spec.hostname": "heat-1-0",
        "spec.subdomain": "heat",
        "spec.schedulerName": "lockstep",
    }
    metadata, spec = first["metadata"], first["spec"]

    [owner] = metadata["ownerReferences"]
    assert owner["controller"]
    assert list(want) == first_cells(PAGE, "## Names and fields of pods")
    assert list(want.values()) == [
        metadata["name"],
        owner["kind"],
        spec["hostname"],
        spec["subdomain"],
        spec["schedulerName"],
    ]
    assert [one["metadata"]["name"] for one in (*made["Services"], *made["ConfigMaps"])] == ["heat", "heat-hosts"]


async def test_label_of_pods_that_others_create_is_named():
    assert names.MEMBER_OF_LABEL in first_cells(PAGE, "## Labels")


async def test_annotations_are_those_that_are_read():
    want = [names.PROGRESS_ANNOTATION, names.RESIZE_ANNOTATION, names.READY_ANNOTATION]
    want += [names.ROOM_ANNOTATION, names.CREATED_BY_ANNOTATION, names.ALLOWED_SIZING]
    assert first_cells(PAGE, "## Annotations") == want


async def test_annotations_around_gangs_are_those_that_are_read_and_written():
    pods = [names.RANK_LABEL, names.SIZE_LABEL, names.SEAT_ANNOTATION]
    owners = [gang_annotations.SIZE, gang_annotations.SERIAL_TIME, gang_annotations.OVERHEAD_PER_MEMBER]
    owners += [gang_annotations.HOSTS, gang_annotations.UNDO, gang_annotations.ELASTIC]
    owners += [gang_annotations.RESTART_TIME, gang_annotations.MIN_INTERVAL]
    want = [*owners, *pods, made_gang.MADE_ANNOTATION, made_gang.PROBLEM_ANNOTATION, made_gang.IN_ALL_ANNOTATION]
    want += [names.SIZED_ANNOTATION, names.SIZED_UID_ANNOTATION, names.FIRST_SIZE_ANNOTATION]
    want += [names.SUSPENDED_FOR_ANNOTATION]
    assert first_cells(PAGE, "## Annotations around Gangs") == want
