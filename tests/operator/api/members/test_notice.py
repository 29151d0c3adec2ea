"""The notice of a change of size: who has it, how it is written, and what counts as an answer."""

from dataclasses import replace

import pytest

from builders.notices import FIELD, NOTICE, READS, READY
from builders.served import container, gang, owned_by, pod, role
from coschedule import Members
from lockstep.api.gangjob.gangjob import parse_gang, status_manifest
from lockstep.api.members.notice import notice_of, notice_patch
from lockstep.api.pods.pod import parse_pod
from lockstep.facts.elastic import NextSize

ELASTIC = {"elastic": {"mode": "Restart"}}
TEXT = "9 2026-11-27T12:04:30Z"
FOLLOWING = NextSize(
    members=(Members("n1", 4), Members("n2", 5)),
    decided_at=1_795_780_000.0,
    expected_finish=None,
    why="grows",
    begins_at=1_795_781_070.0,
)
PROJECTED = [{"name": "podinfo", "projected": {"sources": [{"downwardAPI": READS["volumes"][0]["downwardAPI"]}]}}]


def member(**annotations):
    """Describe a member's pod with these annotations, dashes for underscores."""
    written = {f"lockstep.dev/{name.replace('_', '-')}": text for name, text in annotations.items()}
    return parse_pod(pod("g-1-0", annotations=written, **owned_by("g", attempt=1, rank=0)))


def has_notice(**parts):
    return parse_gang(gang("g", spec=ELASTIC, **parts), None).spec.elastic.has_notice


def projected(*sources):
    return {"volumes": [{"name": "all", "projected": {"sources": list(sources)}}]}


@pytest.mark.parametrize(
    ("pod_spec", "want"),
    [
        (READS, True),
        (projected({"configMap": {"name": "c"}}, {"downwardAPI": {"items": [{"path": "r", "fieldRef": FIELD}]}}), True),
        (projected({"downwardAPI": {"items": [{"path": "r", "fieldRef": {"fieldPath": "metadata.labels"}}]}}), False),
        ({"volumes": [{"name": "v", "downwardAPI": {"items": [{"path": "cpu", "resourceFieldRef": {}}]}}]}, False),
        (
            {
                "volumes": [
                    {"name": "v", "emptyDir": {}},
                    {"name": "w", "downwardAPI": {}},
                    {"name": "x", "projected": {}},
                ]
            },
            False,
        ),
        ({"volumes": None}, False),
        ({}, False),
    ],
)
def test_members_have_notice_if_a_volume_has_it_as_a_file(pod_spec, want):
    assert has_notice(pod_spec=pod_spec) == want


@pytest.mark.parametrize(
    ("mounts", "want"),
    [
        ([{}], True),
        ([{"subPath": "resize"}], False),
        ([{"subPathExpr": "$(NAME)"}], False),
        ([{"subPath": "resize"}, {}], True),
        ([{"subPath": "resize"}, {"subPathExpr": "r"}], False),
        ([{"subPath": ""}], True),
    ],
)
@pytest.mark.parametrize("place", ["containers", "initContainers"])
@pytest.mark.parametrize("volumes", [READS["volumes"], PROJECTED], ids=["downwardAPI", "projected"])
def test_file_that_each_container_mounts_by_a_sub_path_never_changes(volumes, place, mounts, want):
    """A mount of another volume without a subPath changes nothing."""
    others = [container("main", volumeMounts=[{"name": "scratch", "mountPath": "/scratch"}])]
    mounting = [
        container(f"c{number}", volumeMounts=[{"name": "podinfo", "mountPath": "/etc/resize", **mount}])
        for number, mount in enumerate(mounts)
    ]
    listed = {"containers": others, "initContainers": []}
    pod_spec = {**listed, place: [*listed[place], *mounting], "volumes": volumes}

    assert has_notice(pod_spec=pod_spec) == want


def test_only_role_may_read_it_too():
    reads = {"template": {"spec": {**role("w")["template"]["spec"], **READS}}}

    assert has_notice(roles=({**role("w"), **reads},))
    assert not has_notice(roles=(role("w"),))


def test_notice_has_the_size_and_the_time_to_the_second():
    assert notice_of(FOLLOWING) == TEXT


def test_pod_shows_its_notice_and_its_answer():
    shown = member(resize=TEXT, ready_to_resize=TEXT)

    assert (shown.notice, shown.ready_for) == (TEXT, TEXT)
    assert (member().notice, member().ready_for) == ("", "")


@pytest.mark.parametrize(
    "text", ["yes", "9", f"{TEXT} ", f"{TEXT}\n", "09 2026-11-27T12:04:30Z", "9 2026-11-27", "9" * 10_000]
)
def test_anything_else_is_no_answer_and_no_notice(text):
    shown = member(resize=text, ready_to_resize=text)

    assert shown.ready_for == ""
    assert shown.notice not in {"", text}


def test_pod_that_is_no_member_shows_nothing():
    other = parse_pod(pod("p", annotations={NOTICE: TEXT, READY: TEXT}))

    assert (other.notice, other.ready_for) == ("", "")


def test_patch_writes_the_notice_or_removes_it_with_its_answer():
    assert notice_patch(TEXT, "uid")["metadata"] == {"uid": "uid", "annotations": {NOTICE: TEXT}}
    assert notice_patch("", "uid")["metadata"]["annotations"] == {NOTICE: None, READY: None}


def test_status_keeps_when_the_change_begins():
    parsed = parse_gang(gang("g"), None)
    written = status_manifest(replace(parsed.status, reserved_at=1.0, next_size=FOLLOWING))
    stored = {name: value for name, value in written.items() if value is not None}

    assert parse_gang(gang("g", status=stored), None).status.noticed_size == FOLLOWING
