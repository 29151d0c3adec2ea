"""What a person reads who makes a plausible mistake: each sentence names the field, the value and a way out."""

import pytest

from lockstep_demo.operator_process import OperatorProcess

GANG = """\
apiVersion: lockstep.dev/v1alpha1
kind: GangJob
metadata:
  name: heat
spec:
  size: {min: 2, max: 4}
  work: {serialTime: 10m}
  template:
    spec:
      nodeSelector: {disk: fast}
      containers:
        - name: member
          image: busybox:1.37
          command: [sleep, "60"]
          resources: {requests: {cpu: "1", memory: 1Gi}}
"""
CONTAINERS = GANG[GANG.index("      containers:") :]

INVALID = 'The GangJob "heat" is invalid:'

# What is typed in the place of what, and what kubectl answers.
REFUSED = [
    pytest.param(
        ("min: 2", "min: 6"),
        f"{INVALID} spec.size: Invalid value: size.min must not be above size.max.",
        id="min above max",
    ),
    pytest.param(
        ("min: 2", "min: 0"),
        f"{INVALID} spec.size.min: Invalid value: 0: spec.size.min in body should be greater than or equal to 1",
        id="no member",
    ),
    pytest.param(
        (CONTAINERS, "      containers: []\n"),
        f"{INVALID} spec.template.spec.containers: Invalid value: 0: spec.template.spec.containers "
        "in body should have at least 1 items",
        id="no container",
    ),
    pytest.param(
        ("nodeSelector", "restartPolicy: Always\n      nodeSelector"),
        f'{INVALID} spec.template.spec.restartPolicy: Invalid value: "Always": restartPolicy must be '
        "Never or OnFailure, because the members of a gang run to completion.",
        id="members that never end",
    ),
    pytest.param(
        ("10m", "10 minutes"),
        f'{INVALID} spec.work.serialTime: Invalid value: "10 minutes": serialTime must be a Go '
        "duration from 1ms to 876000h, such as 90s or 1h30m.",
        id="a time in words",
    ),
    pytest.param(
        ("10m", "600"),
        'spec.work.serialTime in body must be of type string: "integer"',
        id="a time that is a number",
    ),
    pytest.param(
        ("  work:", '  deadline: "2026-01-01T18:00:00Z"\n  work:'),
        f'{INVALID} spec.deadline: Invalid value: "2026-01-01T18:00:00Z": deadline must be a Go '
        "duration from 1ms to 8760h, such as 90s or 1h30m, counted from the submission.",
        id="a deadline that is a date",
    ),
    pytest.param(
        ("  size:", "  sise:"),
        'cannot be handled as a GangJob: strict decoding error: unknown field "spec.sise"',
        id="a field with a typo",
    ),
    pytest.param(
        ("v1alpha1", "v1"),
        'no matches for kind "GangJob" in version "lockstep.dev/v1"',
        id="another version of the API",
    ),
    pytest.param(
        ("  work:", "  load: Pieces\n  work:"),
        f"{INVALID} spec.pieces: Required value: pieces must say into how many pieces the work is "
        "divided, because load is Pieces.",
        id="pieces without a number",
    ),
]

# What is typed in the place of what, and the reason and the words that a condition of the gang then has.
REFUSED_LATER = [
    pytest.param(
        ('cpu: "1"', 'cpu: "64"'), "Planned", "NotEnoughRoom", "short of cpu", id="members larger than any node"
    ),
    pytest.param(
        ("disk: fast", "disk: fsat"),
        "Planned",
        "NoNodeFits",
        "0 of 3 nodes pass its constraints: 3 without disk=fsat",
        id="a selector with a typo",
    ),
    pytest.param(
        ("containers:", "volumes: [{name: d, persistentVolumeClaim: {claimName: scrach}}]\n      containers:"),
        "Accepted",
        "ClaimNotReady",
        "Claim scrach does not exist",
        id="a claim that does not exist",
    ),
    pytest.param(
        ("  size:", "  priorityClassName: urgnet\n  size:"),
        "Accepted",
        "UnknownPriorityClass",
        "priorityClassName: there is no PriorityClass urgnet.",
        id="a priority class that does not exist",
    ),
    pytest.param(
        ("containers:", "serviceAccountName: trainer\n      containers:"),
        "Placed",
        "PodRefused",
        'serviceaccount "trainer" not found',
        id="a service account that does not exist",
    ),
    pytest.param(
        ("command:", "volumeMounts: [{name: data, mountPath: /data}]\n          command:"),
        "Accepted",
        "TemplateRefused",
        'spec.containers[0].volumeMounts[0].name: Not found: "data"',
        id="a mount of no volume",
    ),
    pytest.param(
        ("  work:", "  deadline: 10s\n  work:"),
        "Planned",
        "DeadlineCannotBeMet",
        "2 min 30 s at the earliest, with 4 members",
        id="a deadline that no gang can meet",
    ),
]


@pytest.fixture
def cluster(operator: OperatorProcess, arena):
    """An operator, and three nodes of 4 cpu with a fast disk."""
    arena.add_nodes(3, labels={"disk": "fast"})
    return arena


def mistaken(old, new):
    assert old in GANG
    return GANG.replace(old, new, 1)


@pytest.mark.parametrize(("typed", "want"), REFUSED)
def test_mistake_is_refused_at_once(kubectl, typed, want):
    assert want in kubectl("apply", "-f", "-", manifest=mistaken(*typed))
    assert "NotFound" in kubectl("get", "gj", "heat")


@pytest.mark.parametrize(("typed", "condition", "reason", "want"), REFUSED_LATER)
def test_mistake_is_reported_in_the_status(cluster, kubectl, typed, condition, reason, want):
    kubectl("apply", "-f", "-", manifest=mistaken(*typed))

    assert want in cluster.until("heat", condition, "False", reason)["message"]
    assert want in kubectl("describe", "gj", "heat")


def test_quota_that_is_too_small_is_named_with_what_it_has(cluster, kubectl):
    cluster.create_quota("small", **{"requests.memory": "1Gi"})

    kubectl("apply", "-f", "-", manifest=GANG)

    refused = cluster.until("heat", "Planned", "False", "QuotaExceeded")
    assert refused["message"] == "It needs 2 members, which take 2Gi of requests.memory; quota small allows 1Gi."


def test_second_gang_of_one_name_is_taken_for_a_change_of_the_first(cluster, kubectl):
    kubectl("apply", "-f", "-", manifest=GANG)
    cluster.until_placed("heat")

    answer = kubectl("apply", "-f", "-", manifest=mistaken("busybox:1.37", "busybox:1.38"))
    resized = kubectl("apply", "-f", "-", manifest=mistaken("max: 4", "max: 3"))

    assert answer.strip() == (
        f"{INVALID} spec.template: Forbidden: template can't be changed after creation; create another GangJob instead."
    )
    assert "suspend it first, or create another GangJob instead." in resized


@pytest.mark.parametrize(
    ("spec", "want"),
    [
        pytest.param(
            "dutyCycle: 25%",
            'dutyCycle: Invalid value: "25%": dutyCycle must be a quantity from 0 to 1000, such as 250m or "0.25".',
            id="a percentage",
        ),
        pytest.param(
            "capacity: 2x",
            'capacity: Invalid value: "2x": capacity must be a quantity from 1m to 1000, such as 1600m or "1.6".',
            id="a factor with a letter",
        ),
    ],
)
def test_mistake_in_a_bid_is_refused_at_once(kubectl, spec, want):
    bid = f"apiVersion: lockstep.dev/v1alpha1\nkind: NodeBid\nmetadata: {{name: n01}}\nspec: {{{spec}}}\n"

    assert kubectl("apply", "-f", "-", manifest=bid).strip() == f'The NodeBid "n01" is invalid: spec.{want}'


def test_members_that_request_nothing_are_warned_of(cluster, kubectl):
    kubectl("apply", "-f", "-", manifest=mistaken('requests: {cpu: "1", memory: 1Gi}', "requests: {}"))

    cluster.until_placed("heat")
    warning = cluster.condition("heat", "Accepted")["message"]
    assert "the members of template request no resources" in warning
    assert warning.endswith("Set resources.requests.cpu.")
