"""A GangJob's manifest as a fact."""

import math

import pytest

from builders.served import container, gang
from coschedule import (
    Constraints,
    Interruptible,
    Load,
    Members,
    NodeTerm,
    Pieces,
    Requirement,
    Share,
    Toleration,
)
from lockstep.api.gangjob.elastic import parse_elastic
from lockstep.api.gangjob.gangjob import parse_gang
from lockstep.facts.cluster.volume import ClaimUse, Sharing, VolumeRequest
from lockstep.facts.gang.status import ConditionFact
from lockstep.facts.reasons import Reason

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
ANYHOW = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway"}


def parse(name="g", **parts):
    return parse_gang(gang(name, **parts), None)


def spec_of(**parts):
    fact = parse(**parts)
    assert fact.refusal is None, fact.refusal
    return fact.spec


def test_rigid_gang():
    fact = parse(size=4, cpu="2", version="17", generation=3)

    assert (fact.key, fact.uid, fact.resource_version, fact.generation) == (("default", "g"), "uid-of-g", "17", 3)
    assert (fact.spec.minimum, fact.spec.maximum, fact.spec.work, fact.spec.deadline_seconds) == (4, 4, None, None)
    assert fact.spec.roles[0].request == (("bid slots", 1), ("cpu", 2000), ("pods", 1))
    assert fact.spec.roles[0].constraints == Constraints()
    assert not fact.is_deleting


SAVES = {"interruptible": "Checkpointed", "checkpointInterval": "15m"}


def test_gang_says_whether_it_may_be_interrupted():
    saving = spec_of(spec=SAVES)

    assert (saving.interruptible, saving.checkpoint_interval) == (Interruptible.CHECKPOINTED, 900.0)
    assert (spec_of(spec={}).interruptible, spec_of(spec={}).checkpoint_interval) == (Interruptible.NEVER, math.inf)


@pytest.mark.parametrize(
    ("mode", "more", "want"),
    [
        pytest.param("Members", SAVES, 450, id="half an interval on average"),
        pytest.param("Members", {}, 0, id="no checkpoints"),
        pytest.param("Members", SAVES | {"pieces": 9, "dealing": "WhileRunning"}, 0, id="dealt pieces"),
        pytest.param("Restart", SAVES, 0, id="a checkpoint on SIGTERM"),
    ],
)
def test_change_costs_the_work_since_the_last_checkpoint(mode, more, want):
    spec = {"template": {"spec": {}}, "elastic": {"mode": mode}, **more}

    assert parse_elastic(spec).lost == want


def test_deadline_counts_from_the_submission():
    assert spec_of(spec={"deadline": "2h"}).deadline_seconds == 7200


@pytest.mark.parametrize(
    ("spec", "want"),
    [
        pytest.param({}, (Load.EQUAL, None), id="none"),
        pytest.param({"load": "Equal"}, (Load.EQUAL, None), id="equal"),
        pytest.param({"load": "Proportional"}, (Load.PROPORTIONAL, None), id="proportional"),
        pytest.param({"load": "Pieces", "pieces": 64}, (Load.PIECES, 64), id="pieces"),
        pytest.param({"load": "Pieces", "pieces": 2}, (Load.PIECES, 2), id="one piece each"),
        pytest.param(
            {"load": "Pieces", "pieces": 64, "work": {"serialTime": "1h"}}, (Load.PIECES, 64), id="pieces of known time"
        ),
    ],
)
def test_load(spec, want):
    [role] = spec_of(spec=spec).roles

    assert (role.load, role.pieces) == want


@pytest.mark.parametrize(
    ("spec", "pod_spec", "want"),
    [
        pytest.param({}, {}, "", id="none"),
        pytest.param({"priorityClassName": "batch"}, {}, "batch", id="the gang's"),
        pytest.param({}, {"priorityClassName": "batch"}, "batch", id="the template's"),
        pytest.param({"priorityClassName": "high"}, {"priorityClassName": "batch"}, "high", id="the gang's goes first"),
    ],
)
def test_priority_class(spec, pod_spec, want):
    assert spec_of(spec=spec, pod_spec=pod_spec).priority_class == want


def test_constraints():
    terms = [
        {"matchExpressions": [{"key": "speed", "operator": "In", "values": ["fast", "faster"]}]},
        {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]},
        {"matchExpressions": [{"key": "gpu", "operator": "Exists"}]},
    ]
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}
    tolerations = [{"operator": "Exists"}, {"key": "pool", "value": "gangs", "effect": "NoSchedule"}]
    selector = {"zone": "b", "disk": "ssd"}

    pod_spec = {"affinity": affinity, "tolerations": tolerations, "nodeSelector": selector}
    [role] = spec_of(pod_spec=pod_spec).roles

    assert role.constraints == Constraints(
        node_selector=(("disk", "ssd"), ("zone", "b")),
        affinity=(
            NodeTerm((Requirement("speed", "In", ("fast", "faster")),), ()),
            NodeTerm((), (Requirement("metadata.name", "In", ("n1",)),)),
            NodeTerm((Requirement("gpu", "Exists", ()),), ()),
        ),
        tolerations=(Toleration("", "Exists", "", ""), Toleration("pool", "Equal", "gangs", "NoSchedule")),
    )


def test_toleration_ends_after_the_seconds_that_it_says():
    tolerations = [{"key": "leaving", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 5}]

    [role] = spec_of(pod_spec={"tolerations": tolerations}).roles

    assert role.constraints.tolerations == (Toleration("leaving", "Exists", "", "NoExecute", 5.0),)


def test_preferred_affinity_restricts_nothing():
    preferred = {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "preference": {}}]}

    [role] = spec_of(pod_spec={"affinity": {"nodeAffinity": preferred}}).roles
    assert role.constraints.affinity is None


SUPPORTED_VOLUMES = [
    {"name": "a", "emptyDir": {}},
    {"name": "b", "configMap": {"name": "c"}},
    {"name": "d", "hostPath": {"path": "/"}},
]


def test_claims_are_noted_with_the_field_that_names_them():
    claim = {"name": "v", "persistentVolumeClaim": {"claimName": "data"}}
    asked = {
        "accessModes": ["ReadWriteOnce"],
        "storageClassName": "fast",
        "volumeMode": "Block",
        "resources": {"requests": {"storage": "1Ki"}},
    }
    scratch = {"name": "scratch", "ephemeral": {"volumeClaimTemplate": {"spec": asked}}}
    kept = {"metadata": {"name": "kept"}, "spec": asked}

    fact = parse(pod_spec={"volumes": [*SUPPORTED_VOLUMES, claim, scratch]}, spec={"volumeClaimTemplates": [kept]})

    request = VolumeRequest("fast", 1024, frozenset({"ReadWriteOnce"}), is_block=True)
    assert fact.spec.roles[0].claims == (
        ClaimUse("template.spec.volumes[3].persistentVolumeClaim", "data"),
        ClaimUse("template.spec.volumes[4].ephemeral", "scratch", Sharing.EPHEMERAL, request),
        ClaimUse("volumeClaimTemplates[0]", "kept", Sharing.KEPT, request),
    )


def test_size_that_makes_no_sense_is_refused():
    kept = {"metadata": {"name": "kept"}, "spec": {"resources": {"requests": {"storage": "much"}}}}

    assert parse(spec={"volumeClaimTemplates": [kept]}).refusal == ("InvalidSpec", "much is not a quantity.")


def test_what_a_template_only_prefers_is_noted():
    affinity = {kind: {PREFERRED: [{}]} for kind in ("nodeAffinity", "podAffinity", "podAntiAffinity")}
    spread = {"topologySpreadConstraints": [ANYHOW]}

    [role] = parse(pod_spec={"affinity": affinity, **spread}).spec.roles

    assert role.not_weighed == (
        f"template.spec.affinity.nodeAffinity.{PREFERRED}",
        f"template.spec.affinity.podAffinity.{PREFERRED}",
        f"template.spec.affinity.podAntiAffinity.{PREFERRED}",
        "template.spec.topologySpreadConstraints[0]",
    )


def test_placement_names_labels_of_nodes():
    spec = parse(spec={"placement": {"onePer": "host", "allIn": "zone"}}).spec

    assert (spec.one_per, spec.all_in) == ("host", "zone")


@pytest.mark.parametrize(
    "spec",
    [
        pytest.param({"work": {"serialTime": "0s"}}, id="no work"),
        pytest.param({"work": {"serialTime": "an hour"}}, id="an unreadable duration"),
        pytest.param({"work": {"serialTime": "1h", "overhead": {"fixed": "-1s"}}}, id="negative overhead"),
        pytest.param({"deadline": "soon"}, id="an unreadable deadline"),
        pytest.param({"work": {"profile": [{"members": 1, "time": "0s"}]}}, id="a measured time of 0"),
        pytest.param({"work": {"profile": [{"members": 4, "time": "1m"}]}}, id="no size of the range is measured"),
        pytest.param({"load": "Random"}, id="an unknown load"),
        pytest.param({"load": "Pieces"}, id="an unknown number of pieces"),
        pytest.param({"load": "Proportional", "pieces": 64}, id="pieces of another load"),
        pytest.param({"load": "Pieces", "pieces": 1}, id="fewer pieces than members"),
        pytest.param(
            {"load": "Pieces", "pieces": 8, "work": {"profile": [{"members": 2, "time": "1m"}]}},
            id="pieces of a time that is measured for the whole",
        ),
    ],
)
def test_spec_that_makes_no_sense_is_refused(spec):
    fact = parse(spec=spec)

    assert fact.spec is None
    assert fact.refusal.reason == Reason.INVALID_SPEC
    assert fact.refusal.message.endswith(".")


def test_unreadable_quantity_is_refused():
    assert parse(cpu="a lot").refusal.reason == Reason.INVALID_SPEC


def test_same_generation_is_not_parsed_again():
    before = parse(version="5")
    later = gang("g", version="6", status={"attempt": 2})

    after = parse_gang(later, before)

    assert after.spec is before.spec
    assert (after.resource_version, after.status.attempt) == ("6", 2)


@pytest.mark.parametrize(
    "change",
    [pytest.param({"generation": 2}, id="a new generation"), pytest.param({"uid": "other"}, id="a new object")],
)
def test_other_spec_is_parsed(change):
    after = parse_gang(gang("g", size=5, **change), parse(size=2))

    assert after.spec.minimum == 5


def test_earlier_version_of_one_generation_is_parsed():
    after = parse_gang(gang("g", size=5, version="4"), parse(size=2, version="5"))

    assert after.spec.minimum == 5


def test_deletion_is_seen_within_one_generation():
    assert parse_gang(gang("g", deletionTimestamp="2027-01-15T08:00:00Z"), parse()).is_deleting


def test_template_is_kept_as_written():
    fact = parse(pod_spec={"containers": [container(env=[{"name": "A", "value": "1"}])]})

    template = fact.spec.roles[0].template.document.decoded()
    assert template["spec"]["containers"][0]["env"] == [{"name": "A", "value": "1"}]


def test_status():
    condition = {
        "type": "Placed",
        "status": "True",
        "reason": "Bound",
        "message": "All 3 members are bound.",
        "observedGeneration": 1,
        "lastTransitionTime": "1970-01-01T00:01:40Z",
    }
    status = parse(
        status={
            "conditions": [condition],
            "attempt": 4,
            "size": 3,
            "start": "1970-01-01T00:00:10Z",
            "expectedFinish": "1970-01-01T00:00:20Z",
            "effectiveSpeedup": "2.5",
            "members": [{"node": "n1", "count": 2}, {"node": "n2", "count": 1}],
            "reservedAt": "1970-01-01T00:00:11Z",
            "firstPlannedStart": "1970-01-01T00:00:05Z",
            "startedAt": "1970-01-01T00:00:12Z",
            "finishedAt": "1970-01-01T00:00:19Z",
            "queuedSince": "1970-01-01T00:00:03Z",
            "waitedSeconds": 7,
        }
    ).status

    assert status.conditions == (ConditionFact("Placed", "True", "Bound", "All 3 members are bound.", 1, 100.0),)
    assert status.members == (Members("n1", 2), Members("n2", 1))
    assert (status.attempt, status.size, status.effective_speedup) == (4, 3, "2.5")
    assert (status.start, status.expected_finish, status.reserved_at) == (10, 20, 11)
    assert (status.first_planned_start, status.started_at, status.finished_at) == (5, 12, 19)
    assert (status.queued_since, status.waited_seconds) == (3, 7)


@pytest.mark.parametrize(
    ("reason", "want"),
    [("Succeeded", "Complete"), ("MemberFailed", "Failed"), ("ReachedMaxRestarts", "Failed")],
)
def test_gang_that_an_earlier_version_called_complete_is_read_as_it_ended(reason, want):
    written = {"type": "Complete", "status": "True", "reason": reason, "lastTransitionTime": "1970-01-01T00:01:40Z"}
    status = parse(status={"conditions": [written]}).status

    assert (status.end.type, status.end.reason) == (want, reason)
    assert status.is_true("Complete") is (want == "Complete")


def test_members_are_read_with_what_the_load_gives_them():
    written = [{"node": "n1", "count": 2, "share": "0.4"}, {"node": "n2", "count": 1, "pieces": 7}]

    members = parse(status={"members": written}).status.members

    assert members == (Members("n1", 2, Share(0.4)), Members("n2", 1, Pieces(7)))
