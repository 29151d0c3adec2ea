"""What a Gang may say, and the sentence that answers what it may not."""

import pytest

from controlplane.crds.sentences import NOT_CHECKED, PROFILE_RANGE
from sandbox import ApiError

MEASURED = [{"members": 2, "time": "20m"}, {"members": 8, "time": "6m"}]
SERIAL_TIME = "serialTime must be a Go duration from 1ms to 876000h, such as 90s or 1h30m."
DEADLINE = "deadline must be a Go duration from 1ms to 8760h, such as 90s or 1h30m, counted from the submission."
WHEN = "2026-11-20T18:00:00Z"
MEMBERS = [{"node": "n1", "count": 3}, {"node": "n2", "count": 1}]
STATUS = {
    "conditions": [
        {
            "type": "Placed",
            "status": "True",
            "observedGeneration": 2,
            "reason": "Bound",
            "message": "All 4 members are bound.",
            "lastTransitionTime": WHEN,
        }
    ],
    "state": "Running",
    "sizeAndRange": "4 (4–8)",
    "summary": "ends at 19:00",
    "attempt": 1,
    "size": 4,
    "start": WHEN,
    "expectedFinish": WHEN,
    "effectiveSpeedup": "3.9",
    "memberPrice": "0.31",
    "runTimeFactor": "1.3",
    "members": MEMBERS,
    "reservedAt": WHEN,
    "next": {"size": 4, "members": MEMBERS, "decidedAt": WHEN, "why": "More pods are there."},
    "ranks": "0-3",
    "queuedSince": WHEN,
    "waitedSeconds": 7,
    "after": [{"kind": "GangJob", "name": "first", "uid": "1", "outcome": "Succeeded", "at": WHEN}],
    "startedAt": WHEN,
    "finishedAt": WHEN,
    "workUsed": {"source": "Stated", "message": "Too few runs have finished."},
    "plan": {
        "likelyStart": WHEN,
        "lateStart": WHEN,
        "promisedStart": WHEN,
        "size": 4,
        "kinds": [{"speed": "1.5", "members": 4}],
        "position": 1,
        "waitsFor": "Node n1 is full.",
        "changedAt": WHEN,
        "changedBecause": "FirstPlanned",
    },
}


def role(name, least, most=None):
    return {"name": name, "size": {"min": least} | ({} if most is None else {"max": most})}


def spec(**fields):
    return {"spec": fields}


@pytest.mark.parametrize(
    "patch",
    [
        pytest.param({}, id="only the fewest"),
        pytest.param(spec(size={"min": 1, "max": 10_000}), id="the widest range"),
        pytest.param(spec(size={"max": 4}), id="one size"),
        pytest.param(spec(work={"serialTime": "10h", "learn": True}), id="a serial time"),
        pytest.param(
            spec(work={"serialTime": "1h30m", "overhead": {"fixed": "5s", "perMember": "200ms", "perLogMember": "0s"}}),
            id="a serial time with overhead",
        ),
        pytest.param(spec(work={"profile": MEASURED}), id="a profile"),
        pytest.param(spec(work={"serialTime": "10h"}, deadline="2h"), id="a deadline"),
        pytest.param(spec(sizing="Fewest"), id="a sizing"),
        pytest.param({"metadata": {"name": "job.heat"}}, id="the name of one that the operator makes"),
        pytest.param(
            spec(placement={"onePer": "kubernetes.io/hostname", "allIn": "topology.kubernetes.io/zone"}),
            id="a placement",
        ),
        pytest.param(spec(roles=[role("launcher", 1), role("workers", 3, 6)]), id="roles"),
        pytest.param(spec(hosts="ConfigMap", priorityClassName="urgent"), id="hosts and a class"),
        pytest.param(spec(preemptionPolicy="Never"), id="one that preempts nothing"),
        pytest.param(
            spec(after=[{"name": "a"}, {"name": "a", "kind": "Gang", "when": "Started"}]), id="two to wait for"
        ),
        pytest.param({"metadata": {"name": "a" * 63}}, id="the longest name"),
        pytest.param({"metadata": {"name": "0"}}, id="the shortest name"),
    ],
)
def test_gang_accepts(answer_to_pod_gang, patch):
    assert answer_to_pod_gang(patch) == ""


@pytest.mark.parametrize(
    ("patch", "want"),
    [
        pytest.param({"spec": None}, f"[spec: Required value{NOT_CHECKED}", id="no spec"),
        pytest.param(
            spec(preemptionPolicy="Sometimes"),
            '[spec.preemptionPolicy: Unsupported value: "Sometimes": supported values: "Never", "PreemptLowerPriority"'
            + NOT_CHECKED,
            id="a policy that is none",
        ),
        pytest.param(
            spec(after=[{"name": "a", "kind": "Gang", "when": "Failed"}]),
            (
                "spec.after[0].when: Invalid value: when must be Succeeded or Started for a Gang, because Lockstep "
                "does not know whether the owner of its pods repeats failed pods."
            ),
            id="the failure of a Gang",
        ),
        pytest.param(
            spec(after=[{"name": "../../../../api/v1/secrets"}]),
            'spec.after[0].name: Invalid value: "../../../../api/v1/secrets": spec.after[0].name in body should match '
            "'^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$'",
            id="a path in the place of a name",
        ),
        pytest.param(
            spec(after=[{"name": "a", "kind": "Job"}]),
            '[spec.after[0].kind: Unsupported value: "Job": supported values: "Gang", "GangJob", "GangSweep"'
            f"{NOT_CHECKED}",
            id="one of another kind",
        ),
        pytest.param(
            spec(after=[{"name": "a"}, {"name": "a", "when": "Ended"}]),
            'spec.after[1]: Duplicate value: {"kind":"GangJob","name":"a"}',
            id="one twice",
        ),
        pytest.param(
            spec(after=[{"name": str(number)} for number in range(11)]),
            f"[spec.after: Too many: 11: must have at most 10 items{NOT_CHECKED}",
            id="too many to wait for",
        ),
        pytest.param(spec(size=None), f"[spec.size: Required value{NOT_CHECKED}", id="no size"),
        pytest.param(spec(size={"min": None}), f"[spec.size.min: Required value{NOT_CHECKED}", id="no fewest"),
        pytest.param(
            spec(size={"max": 3}), "spec.size.min: Invalid value: size.min must not be above size.max.", id="no range"
        ),
        pytest.param(
            spec(work={}),
            "spec.work: Invalid value: work must have exactly one of serialTime and profile.",
            id="work that says nothing",
        ),
        pytest.param(
            spec(work={"serialTime": "soon"}),
            f'spec.work.serialTime: Invalid value: "soon": {SERIAL_TIME}',
            id="no duration",
        ),
        pytest.param(
            spec(work={"profile": MEASURED, "overhead": {}}),
            "spec.work.overhead: Forbidden: overhead is allowed only with serialTime; the times of a profile "
            "already contain"
            " it.",
            id="overhead of a profile",
        ),
        pytest.param(spec(size={"min": 9}, work={"profile": MEASURED}), PROFILE_RANGE, id="a profile of less"),
        pytest.param(
            spec(size={"min": 1, "max": 1}, work={"profile": MEASURED}), PROFILE_RANGE, id="a profile of more"
        ),
        pytest.param(
            spec(deadline="2h"),
            "spec.deadline: Invalid value: deadline needs work, because without it the end of the gang can't be"
            " forecast.",
            id="a deadline without work",
        ),
        pytest.param(
            spec(work={"serialTime": "1h"}, deadline="0s"),
            f'spec.deadline: Invalid value: "0s": {DEADLINE}',
            id="no time until the deadline",
        ),
        pytest.param(
            spec(sizing="Huge"),
            '[spec.sizing: Unsupported value: "Huge": supported values: "Fewest", "Balanced", "Fastest"' + NOT_CHECKED,
            id="an unknown sizing",
        ),
        pytest.param(
            spec(roles=[role("launcher", 1), role("workers", 9)]),
            "spec.roles: Invalid value: roles must not need more pods together than size.min.",
            id="roles that need more than all",
        ),
        pytest.param(
            spec(roles=[role("workers", 2, 1)]),
            "spec.roles[0].size.min: Invalid value: size.min must not be above size.max.",
            id="no range of a role",
        ),
    ],
)
def test_gang_refuses(answer_to_pod_gang, patch, want):
    assert answer_to_pod_gang(patch) == want


@pytest.mark.parametrize("field", ["template", "suspend", "elastic", "load"])
def test_gang_knows_nothing_that_only_makers_of_pods_need(answer_to_pod_gang, field):
    assert f'unknown field "spec.{field}"' in answer_to_pod_gang(spec(**{field: True}))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param({}, {"size": {"min": 2, "max": 3}}, id="the size"),
        pytest.param({"work": {"serialTime": "1h"}}, {"work": {"serialTime": "2h"}}, id="the work"),
        pytest.param({"work": {"serialTime": "1h"}}, {"work": None}, id="no work any more"),
        pytest.param({}, {"placement": {"onePer": "zone"}}, id="placement that was not there"),
        pytest.param({"placement": {"onePer": "zone"}}, {"placement": {"onePer": "rack"}}, id="another placement"),
        pytest.param({"sizing": "Fewest"}, {"sizing": "Fastest"}, id="the sizing"),
    ],
)
def test_spec_may_change_while_the_gang_holds_nodes(api, namespace, pod_gang, first, second):
    place = made(api, namespace, pod_gang(spec(**first)))
    api.request("PATCH", f"{place}/status", {"status": STATUS})

    changed = api.request("PATCH", place, spec(**second))

    assert {field: value for field, value in second.items() if changed["spec"].get(field) != value} == {}
    assert changed["metadata"]["generation"] == 2


def test_status_is_a_subresource_with_the_fields_of_a_gangjobs(api, namespace, gang, pod_gang):
    places = (made(api, namespace, gang(), "gangjobs"), made(api, namespace, pod_gang()))

    jobs, own = (api.request("PATCH", f"{one}/status", {**spec(sizing="Fewest"), "status": STATUS}) for one in places)

    assert own["status"] == jobs["status"] == STATUS
    assert "sizing" not in own["spec"]


@pytest.mark.parametrize(
    ("status", "want"),
    [
        pytest.param({"attempt": -1}, "status.attempt: Invalid value: -1", id="a negative attempt"),
        pytest.param({"size": 10_001}, "status.size: Invalid value: 10001", id="too many"),
        pytest.param({"members": [{"node": "n1"}]}, "status.members[0].count: Required value", id="no count"),
    ],
)
def test_status_refuses(api, namespace, pod_gang, status, want):
    place = made(api, namespace, pod_gang())

    with pytest.raises(ApiError) as caught:
        api.request("PATCH", f"{place}/status", {"status": status})

    assert want in str(caught.value)


def made(api, namespace, manifest, plural="gangs"):
    """The path of an object that was just made."""
    collection = f"/apis/lockstep.dev/v1alpha1/namespaces/{namespace}/{plural}"
    api.request("POST", collection, manifest)
    return f"{collection}/{manifest['metadata']['name']}"
