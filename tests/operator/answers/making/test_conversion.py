"""Jobs and JobSets become GangJobs, and what of them is lost is said line by line."""

from copy import deepcopy

import pytest
import yaml

from builders.jobs import job, jobset, pod_spec, replicated
from lockstep.answers.making.conversion import convert
from lockstep.answers.reading.errors import AnswerError

RANK_REF = {"fieldRef": {"fieldPath": "metadata.labels['lockstep.dev/rank']"}}


def converted(*documents, name=""):
    [one] = convert(yaml.safe_dump_all(documents), name=name).gangs
    return one.manifest["spec"], one.notes


def noted(notes, field):
    return [note for note in notes if note.startswith(f"spec.{field}: ")]


# Jobs


def test_job_becomes_a_gang_of_as_many_members_as_it_runs_at_once():
    spec, notes = converted(job(parallelism=4, completions=4, suspend=True, ttlSecondsAfterFinished=60))

    assert spec == {
        "size": {"min": 4, "max": 4},
        "suspend": True,
        "ttlSecondsAfterFinished": 60,
        "template": {"spec": pod_spec()},
    }
    assert noted(notes, "completions") == []
    assert noted(notes, "work") == [
        "spec.work: state how long it takes, such as {serialTime: 10m}, so that other gangs can be planned after it."
    ]


def test_more_completions_than_pods_at_once_are_said_to_be_lost():
    spec, notes = converted(job(parallelism=4, completions=10))

    assert spec["size"] == {"min": 4, "max": 4}
    [note] = noted(notes, "completions")
    assert note.endswith(
        "the gang has 4 members, as parallelism says, and not 10: all members run at the same time, and only once."
    )


def test_index_of_a_pod_is_the_rank_of_its_member():
    own = {"name": "JOB_COMPLETION_INDEX", "value": "7"}
    pod = pod_spec(initContainers=[{"name": "a", "image": "b", "env": [own]}])

    spec, notes = converted(job(completionMode="Indexed", pod=pod))

    [main], [first] = (spec["template"]["spec"][name] for name in ("containers", "initContainers"))
    rank = {"fieldRef": {"fieldPath": "metadata.labels['lockstep.dev/rank']"}}
    assert main["env"] == [{"name": "JOB_COMPLETION_INDEX", "valueFrom": rank}]
    assert first["env"] == [own]
    assert len(noted(notes, "completionMode")) == 1


def test_failures_are_answered_as_near_as_can_be():
    codes = {"operator": "In", "values": [42]}
    rules = [
        {"action": "FailJob", "onExitCodes": codes, "onPodConditions": []},
        {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]},
        {"action": "FailIndex", "onExitCodes": codes},
    ]

    spec, notes = converted(job(backoffLimit=3, podFailurePolicy={"rules": rules}))

    assert spec["failurePolicy"] == {
        "maxRestarts": 3,
        "rules": [
            {"action": "FailGang", "onExitCodes": codes},
            {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]},
        ],
    }
    assert "no action like FailIndex" in noted(notes, "podFailurePolicy.rules[2].action")[0]
    assert "restarts all members" in noted(notes, "backoffLimit")[0]


@pytest.mark.parametrize("field", ["maxFailedIndexes", "backoffLimitPerIndex", "podReplacementPolicy", "someNewField"])
def test_field_that_a_gangjob_has_nothing_like_is_said(field):
    spec, notes = converted(job(**{field: 1}))

    assert field not in str(spec)
    assert noted(notes, field) == [f"spec.{field}: not carried over, since a GangJob has nothing like it."]


def test_what_the_api_server_has_filled_in_is_left_out_without_a_word():
    made = {"batch.kubernetes.io/controller-uid": "1", "job-name": "pi", "controller-uid": "1"}
    applied = {"kubectl.kubernetes.io/last-applied-configuration": "{}"}
    served = job(
        metadata={"labels": {**made, "team": "a"}, "annotations": applied, "uid": "1", "creationTimestamp": None},
        selector={"matchLabels": made},
        manualSelector=False,
        backoffLimit=0,
        template={"metadata": {"labels": {**made, "app": "pi"}, "creationTimestamp": None}},
    )

    [one] = convert(yaml.safe_dump({**served, "status": {"active": 1}})).gangs

    assert one.manifest["metadata"] == {"name": "pi", "labels": {"team": "a"}}
    assert one.manifest["spec"]["template"]["metadata"] == {"labels": {"app": "pi"}}
    assert [note.partition(":")[0] for note in one.notes] == ["spec.backoffLimit", "spec.work"]


@pytest.mark.parametrize(
    ("pod", "field"),
    [
        ({"schedulerName": "another"}, "template.spec.schedulerName"),
        ({"hostname": "a"}, "template.spec.hostname"),
        ({"subdomain": "a"}, "template.spec.subdomain"),
        ({"nodeName": "n1"}, "template.spec.nodeName"),
    ],
)
def test_what_members_can_not_have_is_said(pod, field):
    _, notes = converted(job(pod=pod_spec(**pod)))

    assert len(noted(notes, field)) == 1


# JobSets


def test_jobs_of_a_set_become_roles():
    leader, workers = replicated("leader", parallelism=1), replicated("workers", replicas=2, parallelism=4)

    spec, notes = converted(jobset(leader, workers, failurePolicy={"maxRestarts": 2}))

    assert [(role["name"], role["size"]["max"]) for role in spec["roles"]] == [("leader", 1), ("workers", 8)]
    assert spec["failurePolicy"] == {"maxRestarts": 2}
    assert spec["network"] == {}
    assert all("startAfter" not in role for role in spec["roles"])
    assert "NAME-ATTEMPT-RANK.NAME" in noted(notes, "network")[0]


def test_set_of_one_job_needs_no_roles():
    spec, _ = converted(jobset(replicated("workers", replicas=3), network={"enableDNSHostnames": False}))

    [container] = pod_spec()["containers"]
    index = {"name": "JOB_COMPLETION_INDEX", "valueFrom": RANK_REF}
    template = {"spec": pod_spec(containers=[{**container, "env": [index]}])}
    assert spec == {"size": {"min": 3, "max": 3}, "template": template}


@pytest.mark.parametrize(
    ("policy", "want"),
    [
        ({}, None),
        ({"operator": "All", "targetReplicatedJobs": []}, None),
        ({"operator": "All", "targetReplicatedJobs": ["workers"]}, {"role": "workers"}),
        ({"operator": "Any", "targetReplicatedJobs": ["leader"]}, {"role": "leader"}),
    ],
    ids=["none", "all", "all of one", "any of a single one"],
)
def test_success_of_a_job_is_that_of_its_role(policy, want):
    spec, notes = converted(jobset(replicated("leader"), replicated("workers", replicas=2), successPolicy=policy))

    assert spec.get("successPolicy") == want
    assert noted(notes, "successPolicy") == []


def test_success_of_any_is_said_to_be_lost():
    jobs = [replicated("leader"), replicated("workers", replicas=2)]

    spec, notes = converted(jobset(*jobs, successPolicy={"operator": "Any", "targetReplicatedJobs": ["workers"]}))

    assert "successPolicy" not in spec
    assert len(noted(notes, "successPolicy")) == 1


def test_jobs_that_start_in_order_wait_for_the_first():
    jobs = [replicated(name) for name in "abc"]

    spec, notes = converted(jobset(*jobs, startupPolicy={"startupPolicyOrder": "InOrder"}))

    assert [role.get("startAfter") for role in spec["roles"]] == [None, ["a"], ["a"]]
    assert "they all start together after a" in noted(notes, "startupPolicy")[0]


def test_jobs_that_depend_on_others_wait_for_those_that_are_ready():
    jobs = [
        replicated("a"),
        replicated("b", depends_on=[{"name": "a", "status": "Ready"}]),
        replicated("c", depends_on=[{"name": "b", "status": "Ready"}]),
        replicated("d", depends_on=[{"name": "a", "status": "Complete"}]),
    ]

    spec, notes = converted(jobset(*jobs))

    assert [role.get("startAfter") for role in spec["roles"]] == [None, ["a"], None, None]
    assert "spec.replicatedJobs: c does not wait for b, since b also waits." in notes
    assert "none waits for a to end" in noted(notes, "replicatedJobs[3].dependsOn[0].status")[0]


def test_rules_of_failure_and_fields_of_jobs_are_said_to_be_lost():
    policy = {"maxRestarts": 1, "rules": [{"action": "FailJobSet"}], "restartStrategy": "Recreate"}

    _, notes = converted(jobset(replicated("a", backoffLimit=3), failurePolicy=policy, coordinator={}))

    lost = ("failurePolicy.rules", "failurePolicy.restartStrategy", "replicatedJobs[0].template.spec.backoffLimit")
    assert all(len(noted(notes, field)) == 1 for field in (*lost, "coordinator"))


# Files


def test_every_job_of_a_file_is_converted_and_nothing_else():
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}}

    found = convert(yaml.safe_dump_all([service, job("a"), jobset(replicated("x"), name="b"), ["odd"]]))

    assert [one.manifest["metadata"]["name"] for one in found.gangs] == ["a", "b"]
    assert [line.partition(": left out, since only Jobs")[0] for line in found.left_out] == ["Service s", "document 4"]


def test_list_of_objects_stands_for_these():
    listed = {"apiVersion": "v1", "kind": "List", "items": [job("a"), {"kind": "Pod", "metadata": {"name": "p"}}]}

    found = convert(yaml.safe_dump(listed))

    assert [one.manifest["metadata"]["name"] for one in found.gangs] == ["a"]
    assert len(found.left_out) == 1


FULL_JOB = job(
    metadata={"labels": {"team": "a"}, "annotations": {"note": "b"}},
    backoffLimit=1,
    podFailurePolicy={"rules": [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}]},
    template={"metadata": {"labels": {"app": "pi"}}},
)
FULL_SET = jobset(
    replicated("a", depends_on=[{"name": "b", "status": "Ready"}], template={"metadata": {"labels": {"app": "pi"}}}),
    replicated("b", replicas=2),
    network={"enableDNSHostnames": True},
    successPolicy={"operator": "All"},
    failurePolicy={"maxRestarts": 1},
    startupPolicy={"startupPolicyOrder": "AnyOrder"},
)


def objects_in(value, path=()):
    """Every object in a manifest, by its place."""
    if isinstance(value, dict):
        yield path
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield from objects_in(child, (*path, key))


def with_field(manifest, path):
    changed = deepcopy(manifest)
    inner = changed
    for key in path:
        inner = inner[key]
    inner["zzOdd"] = "value"
    return changed


@pytest.mark.parametrize(
    ("manifest", "path"),
    [
        pytest.param(manifest, path, id=f"{manifest['kind']} {'.'.join(map(str, path))}")
        for manifest in (FULL_JOB, FULL_SET)
        for path in objects_in(manifest)
    ],
)
def test_field_is_carried_over_or_gets_its_line_wherever_it_stands(manifest, path):
    [one] = convert(yaml.safe_dump(with_field(manifest, path))).gangs

    assert "zzOdd" in yaml.safe_dump(one.manifest) or [note for note in one.notes if "zzOdd" in note]


@pytest.mark.parametrize("field", ["finalizers", "ownerReferences", "generateName"])
def test_metadata_that_its_owner_wrote_is_said_to_be_lost(field):
    [one] = convert(yaml.safe_dump(job(metadata={field: ["x"]}))).gangs

    assert f"metadata.{field}: not carried over, since a GangJob has nothing like it." in one.notes


@pytest.mark.parametrize(
    ("jobs", "want_index", "want_note"),
    [
        ([replicated("a", parallelism=2)], {"valueFrom": RANK_REF}, "is the member's rank."),
        ([replicated("a"), replicated("b")], {"value": "$(LOCKSTEP_ROLE_RANK)"}, "role, LOCKSTEP_ROLE_RANK."),
        ([replicated("a", replicas=2), replicated("b")], {"value": "$(LOCKSTEP_ROLE_RANK)"}, "of all 2 replicas"),
        ([replicated("a", completionMode="NonIndexed"), replicated("b")], None, None),
    ],
    ids=["of one job", "of several", "of copies", "without an index"],
)
def test_index_of_a_pod_of_a_set_is_found_and_said(jobs, want_index, want_note):
    spec, notes = converted(jobset(*jobs))

    template = spec["roles"][0]["template"] if "roles" in spec else spec["template"]
    want = [] if want_index is None else [{"name": "JOB_COMPLETION_INDEX", **want_index}]
    assert template["spec"]["containers"][0].get("env", []) == want
    said = noted(notes, "replicatedJobs[0].template.spec.completionMode")
    assert [want_note in note for note in said] == ([] if want_note is None else [True])


def test_variable_that_reads_a_label_of_jobs_is_said_to_be_empty():
    path = "metadata.labels['jobset.sigs.k8s.io/job-index']"
    reads = {"name": "COPY", "valueFrom": {"fieldRef": {"fieldPath": path}}}

    _, notes = converted(
        jobset(replicated("a", pod=pod_spec(containers=[{"name": "m", "image": "i", "env": [reads]}])))
    )

    [note] = noted(notes, "replicatedJobs[0].template.spec.template.spec.containers[0].env")
    assert note.endswith(f"COPY is empty, since members don't have {path}.")


def test_gang_may_have_another_name():
    [one] = convert(yaml.safe_dump(job("a" * 60)), name="short").gangs

    assert one.manifest["metadata"]["name"] == "short"


@pytest.mark.parametrize(
    ("documents", "name", "want"),
    [
        pytest.param([], "", "neither a Job", id="nothing"),
        pytest.param([{"kind": "Job", "apiVersion": "example.com/v1"}], "", "neither a Job", id="another Job"),
        pytest.param(
            [job("a"), job("b")], "c", "The file has 2 Jobs and JobSets, which can't all get", id="one name for two"
        ),
        pytest.param([job("a" * 53)], "", "at most 52 characters", id="a long name"),
        pytest.param([job("a.b")], "", "is not a valid name of a GangJob", id="a dotted name"),
        pytest.param([job(None)], "", "An empty name is not", id="no name"),
        pytest.param([job(7)], "", "metadata.name is not a text", id="a name that is a number"),
        pytest.param([{**job(), "spec": None}], "", "spec is not an object", id="no spec"),
        pytest.param([job(parallelism="four")], "", "spec.parallelism is not a whole number", id="a word"),
        pytest.param([job(parallelism=True)], "", "spec.parallelism is not a whole number", id="a truth"),
        pytest.param([job(parallelism=0)], "", "It would have 0 members", id="no members"),
        pytest.param([job(parallelism=10**18)], "", "and a gang has 1 to 10000", id="too many"),
        pytest.param([job(completionMode=3)], "", "spec.completionMode is not a text", id="an odd mode"),
        pytest.param([job(pod={"a": 1})], "", "spec.template.spec has no containers", id="no containers"),
        pytest.param([job(pod={"containers": [1]})], "", "entry that is not an object", id="odd containers"),
        pytest.param([job(pod=pod_spec(affinity="x"))], "", "pod template is invalid", id="odd affinity"),
        pytest.param([job(podFailurePolicy={"rules": 1})], "", "podFailurePolicy.rules is not a list", id="odd rules"),
        pytest.param([job(podFailurePolicy=[1])], "", "spec.podFailurePolicy is not an object", id="an odd policy"),
        pytest.param([jobset()], "", "spec.replicatedJobs is empty", id="an empty set"),
        pytest.param([jobset(replicated("A"))], "", "A is not a valid name of a role", id="the name of a role"),
        pytest.param([job(metadata={"namespace": "a/b"})], "", "is not a valid name of a namespace", id="a namespace"),
        pytest.param([jobset(1)], "", "spec.replicatedJobs[0] is not an object", id="an odd set"),
    ],
)
def test_what_makes_no_sense_is_refused_with_a_sentence(documents, name, want):
    with pytest.raises(AnswerError) as raised:
        convert(yaml.safe_dump_all(documents), name=name)

    assert want in str(raised.value)
