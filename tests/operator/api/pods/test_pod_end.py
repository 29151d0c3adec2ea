"""What is kept of how a member ends, and of what it says of its work."""

import pytest

from builders.served import owned_by, pod
from lockstep.api.pods.pod import parse_pod
from lockstep.facts.pods.pod import PodEnd

DISRUPTED = {"type": "DisruptionTarget", "status": "True"}


def ended(name, code):
    return {"name": name, "state": {"terminated": {"exitCode": code}}}


def member(phase="Running", **more):
    """Describe a member; ``more`` is of its status, but for its annotations and its deletion."""
    metadata = {key: more.pop(key) for key in ("annotations", "deletionTimestamp") if key in more}
    return pod("g-1-0", phase=phase, status=more, **owned_by("g"), **metadata)


def test_end_of_a_member_that_failed_names_its_failed_containers_and_conditions():
    found = parse_pod(
        member(
            "Failed",
            initContainerStatuses=[ended("fetch", 0)],
            containerStatuses=[ended("main", 42), {"name": "side", "state": {"running": {}}}, ended("log", -1)],
            conditions=[DISRUPTED, {"type": "Ready", "status": "False"}],
        )
    )

    want = {("DisruptionTarget", "True"), ("Ready", "False")}
    assert found.end == PodEnd((("main", 42), ("log", -1)), frozenset(want))


def test_end_of_a_member_that_is_being_deleted_is_known_before_it_has_ended():
    found = parse_pod(member(conditions=[DISRUPTED], deletionTimestamp="2027-01-15T08:00:00Z"))

    assert found.end == PodEnd((), frozenset({("DisruptionTarget", "True")}))


def test_nothing_is_kept_of_members_that_go_on_and_of_other_pods():
    assert parse_pod(member(conditions=[DISRUPTED])).end is None
    assert parse_pod(pod("p", phase="Failed", status={"containerStatuses": [ended("main", 1)]})).end is None


@pytest.mark.parametrize("text", ["0", "1", "0.4", "0.123456789", "1.0", "1.000000000"])
def test_progress_is_a_decimal_from_0_to_1(text):
    assert parse_pod(member(annotations={"lockstep.dev/progress": text})).progress == text


@pytest.mark.parametrize(
    "text",
    ["", "1.1", "2", "-0.1", "+0.5", ".5", "0.", "0,5", "50%", " 0.5", "0.5\n", "NaN", "\u0660.\u0665", "0.1234567890"],
)
def test_anything_else_is_no_progress(text):
    assert parse_pod(member(annotations={"lockstep.dev/progress": text})).progress == ""


def test_other_pods_have_no_progress():
    assert parse_pod(pod("p", annotations={"lockstep.dev/progress": "0.5"})).progress == ""
