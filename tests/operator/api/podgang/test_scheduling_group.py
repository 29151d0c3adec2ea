"""PodGroups of Kubernetes' own: what they ask for in each version, and the condition that they get."""

import pytest

from lockstep.api.podgang.made_gang import PROBLEM_ANNOTATION, made_parts
from lockstep.api.podgang.owners import OWNERS, owner_subject
from lockstep.api.podgang.pod_gang import is_as_made, parse_pod_gang
from lockstep.api.podgang.scheduling_group import VERSIONS, GroupCondition, condition_patch
from lockstep.facts.gang.source import Source
from lockstep.facts.ranks import MOST_RANKS

KIND = OWNERS[Source.SCHEDULING_GROUP]
RACK, KAI = "example.com/rack", "kai.scheduler/topology-required-placement"
NOW = 1_800_000_000.0
PLACED = GroupCondition(is_scheduled=True, message="2 pods of it were bound.")
WAITS = GroupCondition(is_scheduled=False, message="It needs 2 members, and 1 fit.")


def group(policy, *, annotations=None, status=None, **spec):
    """Describe a PodGroup as the API server returns it."""
    metadata = {"name": "heat", "namespace": "team", "uid": "u1", "resourceVersion": "7", "generation": 2}
    return {
        "metadata": {**metadata, "annotations": annotations or {}},
        "spec": {"schedulingPolicy": policy, **spec},
        "status": status or {},
    }


def gang_of(count, **more):
    """Describe a PodGroup of so many pods that need each other."""
    return group({"gang": {"minCount": count}}, **more)


def within(*labels):
    return {"schedulingConstraints": {"topology": [{"key": label} for label in labels]}}


def problem(owner):
    return made_parts(KIND, owner)["metadata"]["annotations"][PROBLEM_ANNOTATION]


@pytest.mark.parametrize(
    ("owner", "want"),
    [
        pytest.param(gang_of(4), 4, id="a gang"),
        pytest.param(group({"basic": {}}), 1, id="a basic group"),
        pytest.param(gang_of(2**31 - 1), MOST_RANKS, id="more than a Gang may have"),
    ],
)
def test_group_says_how_many_pods_need_each_other(owner, want):
    assert made_parts(KIND, owner)["spec"]["size"]["min"] == want


@pytest.mark.parametrize(
    ("owner", "want"),
    [
        pytest.param(gang_of(2), None, id="anywhere"),
        pytest.param(gang_of(2, **within()), None, id="an empty list"),
        pytest.param(gang_of(2, **within(RACK)), {"allIn": RACK}, id="by its field"),
        pytest.param(gang_of(2, annotations={KAI: RACK}), {"allIn": RACK}, id="by an annotation"),
        pytest.param(gang_of(2, annotations={KAI: RACK}, **within(RACK)), {"allIn": RACK}, id="by both"),
    ],
)
def test_group_says_in_which_domain_its_pods_have_to_be(owner, want):
    assert made_parts(KIND, owner)["spec"]["placement"] == want


@pytest.mark.parametrize(
    ("says", "want"),
    [
        pytest.param({}, None, id="nothing"),
        pytest.param({"preemptionPolicy": "PreemptLowerPriority"}, None, id="it does"),
        pytest.param({"preemptionPolicy": "Never"}, "Never", id="it does not"),
    ],
)
def test_group_says_whether_others_give_way_to_it(says, want):
    assert made_parts(KIND, gang_of(2, **says))["spec"]["preemptionPolicy"] == want


@pytest.mark.parametrize(
    ("owner", "sentence"),
    [
        pytest.param(gang_of(2, **within(RACK, "zone")), "can't have a second label", id="two labels"),
        pytest.param(gang_of(2, annotations={KAI: "zone"}, **within(RACK)), "name only one", id="another annotation"),
        pytest.param(
            gang_of(2, parentCompositePodGroupName="all"), "places each PodGroup by itself", id="a part of a group"
        ),
    ],
)
def test_what_a_gang_can_not_have_is_refused_with_a_sentence(owner, sentence):
    assert problem(owner).startswith("PodGroup: ")
    assert sentence in problem(owner)


def test_gang_is_made_anew_for_another_version_of_its_group():
    """So the garbage collector finds the group also when the API server has another version of it."""
    made = made_parts(KIND.at(VERSIONS[2]), gang_of(2))
    metadata = {**made["metadata"], "name": "schedulinggroup.heat", "namespace": "team", "uid": "u2"}
    about = {"resourceVersion": "1", "creationTimestamp": "2027-01-15T08:00:00Z", "generation": 1}
    gang = parse_pod_gang({"metadata": {**metadata, **about}, "spec": {"size": {"min": 2}}})

    assert is_as_made(gang, made)
    assert not is_as_made(gang, made_parts(KIND, gang_of(2)))
    assert owner_subject(gang).api_version == VERSIONS[2]


@pytest.mark.parametrize(
    ("version", "kind"),
    [
        (VERSIONS[0], "PodGroupInitiallyScheduled"),
        (VERSIONS[1], "PodGroupInitiallyScheduled"),
        (VERSIONS[2], "PodGroupScheduled"),
    ],
)
def test_condition_has_the_name_of_the_version(version, kind):
    patch = condition_patch(gang_of(2), version, PLACED, NOW)

    assert patch == {
        "metadata": {"uid": "u1", "resourceVersion": "7"},
        "status": {
            "conditions": [
                {
                    "type": kind,
                    "status": "True",
                    "reason": "Scheduled",
                    "message": "2 pods of it were bound.",
                    "lastTransitionTime": "2027-01-15T08:00:00Z",
                    "observedGeneration": 2,
                }
            ]
        },
    }


def with_condition(before, *others):
    """Describe a PodGroup that has the condition already."""
    patch = condition_patch(gang_of(2), VERSIONS[0], before, NOW - 60)
    return gang_of(2, status={"conditions": [*others, *patch["status"]["conditions"]]})


def test_condition_that_says_so_is_not_written_again():
    assert condition_patch(with_condition(WAITS), VERSIONS[0], WAITS, NOW) is None


def test_group_that_was_scheduled_once_stays_so():
    assert condition_patch(with_condition(PLACED), VERSIONS[0], WAITS, NOW) is None


def test_new_reason_keeps_the_time_of_the_change_and_the_conditions_of_others():
    other = {"type": "DisruptionTarget", "status": "True"}

    patch = condition_patch(with_condition(WAITS, other), VERSIONS[0], WAITS._replace(message="No node."), NOW)

    kept, written = patch["status"]["conditions"]
    assert kept == other
    assert (written["message"], written["lastTransitionTime"]) == ("No node.", "2027-01-15T07:59:00Z")


def test_message_is_no_longer_than_the_api_server_takes():
    patch = condition_patch(gang_of(2), VERSIONS[0], WAITS._replace(message="x" * 40_000), NOW)

    assert len(patch["status"]["conditions"][0]["message"]) == 32_768
