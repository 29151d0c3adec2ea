"""The sentence that answers each thing that a GangJob may not say."""

import pytest

from builders.volumes import claim_spec, claim_templates
from controlplane.crds.sentences import NOT_CHECKED, PROFILE_RANGE

NAME = (
    "metadata.name: Invalid value: The name of a GangJob must have at most 52 characters, only a-z, 0-9 and '-', and"
    " begin and end with a letter or digit. The names of its pods are made from it."
)
NO_PIECES = (
    "spec.pieces: Required value: pieces must say into how many pieces the work is divided, because load is Pieces."
)
PIECES_OF_OTHERS = (
    "spec.pieces: Forbidden: pieces is allowed only with load Pieces; the members of other loads have shares."
)
TOO_FEW_PIECES = (
    "spec.pieces: Invalid value: pieces must not be below the least size, because every member gets at least one."
)
PACE = (
    "spec.pace: Forbidden: pace is allowed only with load Equal, because members with shares or pieces in "
    "proportion to their"
    " speed end together anyway."
)
RESTART_POLICY = "restartPolicy must be Never or OnFailure, because the members of a gang run to completion."
LABELS = (
    "spec.template.metadata.labels: Invalid value: labels in the template must not begin with lockstep.dev/, "
    "because Lockstep recognizes its members by such labels."
)


NEITHER = "spec: Invalid value: spec must have either size and template, or roles, each of which has its own."
SIZE_FORM = "spec.size: Invalid value: size must have either min and max, optionally with multipleOf, or allowed."


def with_volume(name):
    claim = {**claim_spec("fast"), "volumeName": "one"}
    return {"metadata": {"name": name}, "spec": claim}


RESTART = {"mode": "Restart"}
HOUR = {"serialTime": "1h"}


def spec(**fields):
    return {"spec": fields}


def work(**fields):
    return {"spec": {"work": fields}}


def pod(**fields):
    return {"spec": {"template": {"spec": fields}}}


@pytest.mark.parametrize(
    ("patch", "want"),
    [
        pytest.param(
            spec(size={"min": 17}),
            "spec.size: Invalid value: size.min must not be above size.max.",
            id="min above max",
        ),
        pytest.param(
            spec(placement={"onePer": "zone", "allIn": "zone"}),
            "spec.placement.onePer: Invalid value: onePer and allIn must name different labels, because members that"
            " are all in one domain of a label can't each have one of their own.",
            id="one a zone and all in one zone",
        ),
        pytest.param(
            pod(terminationGracePeriodSeconds=3_601),
            "spec.template.spec.terminationGracePeriodSeconds: Invalid value: 3601:"
            " spec.template.spec.terminationGracePeriodSeconds in body should be less than or equal to 3600",
            id="members that may take more than an hour to end",
        ),
        pytest.param(spec(size=None), NEITHER, id="no size"),
        pytest.param(spec(template=None), NEITHER, id="no template"),
        pytest.param(spec(size={"allowed": [2, 4]}), SIZE_FORM, id="a range and allowed sizes"),
        pytest.param(spec(size={"max": None}), SIZE_FORM, id="half a range"),
        pytest.param(
            spec(size={"min": 9, "max": 15, "multipleOf": 8}),
            "spec.size.multipleOf: Invalid value: size.multipleOf must have a multiple from size.min to size.max.",
            id="no multiple in the range",
        ),
        pytest.param(
            spec(size={"min": None, "max": None, "allowed": [4, 4]}),
            "spec.size.allowed[1]: Duplicate value: 4",
            id="the same size twice",
        ),
        pytest.param(
            work(serialTime="1h", profile=[{"members": 2, "time": "1h"}]),
            "spec.work: Invalid value: work must have exactly one of serialTime and profile.",
            id="both serialTime and profile",
        ),
        pytest.param(
            work(),
            "spec.work: Invalid value: work must have exactly one of serialTime and profile.",
            id="neither serialTime nor profile",
        ),
        pytest.param(
            work(overhead={"fixed": "5s"}, profile=[{"members": 2, "time": "1h"}]),
            "spec.work.overhead: Forbidden: overhead is allowed only with serialTime; the times of a profile "
            "already contain"
            " it.",
            id="overhead with a profile",
        ),
        pytest.param(
            work(profile=[{"members": 2, "time": "1h"}, {"members": 2, "time": "2h"}]),
            'spec.work.profile[1]: Duplicate value: {"members":2}',
            id="a profile that repeats a size",
        ),
        pytest.param(work(profile=[{"members": 17, "time": "1h"}]), PROFILE_RANGE, id="a profile above the range"),
        pytest.param(work(profile=[{"members": 1, "time": "1h"}]), PROFILE_RANGE, id="a profile below the range"),
        pytest.param(
            spec(load="Random"),
            '[spec.load: Unsupported value: "Random": supported values: "Equal", "Proportional", "Pieces"'
            f"{NOT_CHECKED}",
            id="a load that nothing obeys",
        ),
        pytest.param(spec(pace="Local", load="Proportional"), PACE, id="pace of shares"),
        pytest.param(spec(pace="Local", load="Pieces", pieces=64), PACE, id="pace of pieces"),
        pytest.param(spec(pace="Share", load="Proportional"), PACE, id="shared pace of shares"),
        pytest.param(
            spec(pace="Global"),
            f'[spec.pace: Unsupported value: "Global": supported values: "None", "Local", "Share"{NOT_CHECKED}',
            id="unknown pace",
        ),
        pytest.param(spec(load="Pieces"), NO_PIECES, id="pieces without their number"),
        pytest.param(spec(pieces=64), PIECES_OF_OTHERS, id="pieces without a load"),
        pytest.param(spec(load="Equal", pieces=64), PIECES_OF_OTHERS, id="pieces of equal load"),
        pytest.param(spec(load="Proportional", pieces=64), PIECES_OF_OTHERS, id="pieces of proportional load"),
        pytest.param(
            spec(load="Pieces", pieces=0),
            "[spec.pieces: Invalid value: 0: spec.pieces in body should be greater than or equal to 1,"
            f" {TOO_FEW_PIECES}]",
            id="no piece",
        ),
        pytest.param(
            spec(load="Pieces", pieces=1_000_001),
            "spec.pieces: Invalid value: 1000001: spec.pieces in body should be less than or equal to 1000000",
            id="more than a million pieces",
        ),
        pytest.param(
            spec(load="Pieces", pieces=1),
            TOO_FEW_PIECES,
            id="fewer pieces than members",
        ),
        pytest.param(
            spec(load="Pieces", pieces=3, size={"min": 1, "max": 16, "multipleOf": 4}),
            TOO_FEW_PIECES,
            id="fewer pieces than the least multiple",
        ),
        pytest.param(
            spec(dealing="WhileRunning"),
            "spec.dealing: Forbidden: dealing is allowed only with load Pieces, beside template; roles have no dealer.",
            id="dealing of equal load",
        ),
        pytest.param(
            spec(load="Pieces", pieces=100_001, dealing="WhileRunning"),
            "spec.pieces: Invalid value: pieces must not be above 100000 with dealing WhileRunning; deal larger"
            " pieces.",
            id="more pieces than a dealer deals",
        ),
        pytest.param(
            spec(load="Pieces", pieces=64, dealing="Beforehand", maxFailedPieces=1),
            "spec.maxFailedPieces: Forbidden: maxFailedPieces is allowed only with dealing WhileRunning, because "
            "only its"
            " members report pieces.",
            id="failed pieces of which none hears",
        ),
        pytest.param(
            spec(load="Pieces", pieces=64, work={"profile": [{"members": 2, "time": "1h"}]}),
            "spec.work.profile: Forbidden: load Pieces needs work.serialTime; a profile does not say how long a piece"
            " takes.",
            id="pieces with a profile",
        ),
        pytest.param(
            spec(volumeClaimTemplates=claim_templates("fast", "data", "data")),
            "spec.volumeClaimTemplates: Invalid value: volumeClaimTemplates must have different names.",
            id="two claims of one name",
        ),
        pytest.param(
            spec(volumeClaimTemplates=[with_volume("data")]),
            "spec.volumeClaimTemplates[0].spec.volumeName: Forbidden: volumeName must be absent, because one volume"
            " can't be bound to the claims of several members.",
            id="one volume for the claims of all members",
        ),
        pytest.param(
            spec(volumeClaimTemplates=[{"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"]}}]),
            f"[spec.volumeClaimTemplates[0].spec.resources: Required value{NOT_CHECKED}",
            id="a claim of no size",
        ),
        pytest.param(
            spec(volumeClaimTemplates=[{"metadata": {"name": "data"}, "spec": claim_spec("fast", size="0")}]),
            'spec.volumeClaimTemplates[0].spec.resources.requests.storage: Invalid value: "0": storage must be a'
            " quantity from 1 to 8Ei, such as 10Gi.",
            id="a claim of nothing",
        ),
        pytest.param(
            spec(volumeClaimTemplates=claim_templates("fast", *(f"data-{number}" for number in range(9)))),
            f"[spec.volumeClaimTemplates: Too many: 9: must have at most 8 items{NOT_CHECKED}",
            id="nine claims",
        ),
        pytest.param(
            spec(interruptible="Checkpointed"),
            (
                "spec.checkpointInterval: Invalid value: checkpointInterval and interruptible Checkpointed need each "
                "other."
            ),
            id="checkpoints at unknown times",
        ),
        pytest.param(
            spec(interruptible="Freely", checkpointInterval="1m"),
            (
                "spec.checkpointInterval: Invalid value: checkpointInterval and interruptible Checkpointed need each "
                "other."
            ),
            id="checkpoints that are not needed",
        ),
        pytest.param(
            spec(elastic={"mode": "Pieces"}, work=HOUR),
            f'[spec.elastic.mode: Unsupported value: "Pieces": supported values: "Restart", "Members"{NOT_CHECKED}',
            id="elastic in a mode of tomorrow",
        ),
        pytest.param(
            spec(elastic=RESTART, work=HOUR, size={"min": 5, "max": 9, "multipleOf": 4}),
            "spec.elastic: Invalid value: elastic needs a size that can vary, because a gang of one size has no other"
            " to change to.",
            id="elastic with one multiple",
        ),
        *(
            pytest.param(
                spec(elastic={**RESTART, "size": asked}, work=HOUR, size=size),
                "spec.elastic.size: Invalid value: elastic.size must be one of the sizes that size allows.",
                id=f"elastic at {asked} of {size}",
            )
            for asked, size in [
                (3, {"min": 4, "max": 9}),
                (10, {"min": 4, "max": 9}),
                (5, {"min": 4, "max": 9, "multipleOf": 2}),
                (5, {"min": None, "max": None, "allowed": [4, 9]}),
            ]
        ),
        pytest.param(
            spec(elastic={**RESTART, "restartTime": "61m"}, work=HOUR),
            "spec.elastic: Invalid value: elastic.restartTime (2m if absent) must be shorter than the run.",
            id="elastic with a restart longer than the run",
        ),
        pytest.param(
            spec(elastic=RESTART, work={"profile": [{"members": 4, "time": "2m"}, {"members": 8, "time": "1m"}]}),
            "spec.elastic: Invalid value: elastic.restartTime (2m if absent) must be shorter than the run.",
            id="elastic with a measured run as short as a restart",
        ),
        pytest.param(
            spec(elastic=RESTART, work=HOUR, load="Proportional"),
            "spec.elastic: Forbidden: elastic is allowed only with load Equal, or with dealing WhileRunning.",
            id="elastic with unequal shares",
        ),
        pytest.param(
            spec(elastic=RESTART, work=HOUR, load="Pieces", pieces=100, dealing="Beforehand"),
            "spec.elastic: Forbidden: elastic is allowed only with load Equal, or with dealing WhileRunning.",
            id="elastic with pieces that are dealt beforehand",
        ),
        pytest.param(
            spec(elastic=RESTART, work=HOUR, volumeClaimTemplates=claim_templates("fast", "data")),
            "spec.elastic: Forbidden: elastic can't be set beside volumeClaimTemplates, because kept claims have the"
            " data for one size.",
            id="elastic with claims",
        ),
        pytest.param(
            spec(elastic={**RESTART, "restartTime": "0s"}, work=HOUR),
            'spec.elastic.restartTime: Invalid value: "0s": restartTime must be a Go duration from 1s to 24h, such as'
            " 90s or 1h30m.",
            id="elastic at no cost",
        ),
        pytest.param(
            spec(deadline="2h"),
            "spec.deadline: Invalid value: deadline needs work, because without it the finish of the gang is not"
            " known.",
            id="a deadline without work",
        ),
        pytest.param(
            pod(containers=None),
            f"[spec.template.spec.containers: Required value{NOT_CHECKED}",
            id="a template without containers",
        ),
        pytest.param(
            pod(containers=[]),
            "spec.template.spec.containers: Invalid value: 0: spec.template.spec.containers in body should have at"
            " least 1 items",
            id="a template with an empty list of containers",
        ),
        pytest.param(
            pod(restartPolicy="Always"),
            f'spec.template.spec.restartPolicy: Invalid value: "Always": {RESTART_POLICY}',
            id="members that always restart",
        ),
        pytest.param(
            pod(restartPolicy="Sometimes"),
            f'spec.template.spec.restartPolicy: Invalid value: "Sometimes": {RESTART_POLICY}',
            id="an unknown restart policy",
        ),
        pytest.param(
            pod(dnsPolicy="Guess"),
            '[spec.template.spec.dnsPolicy: Unsupported value: "Guess": supported values: "ClusterFirst",'
            f' "ClusterFirstWithHostNet", "Default", "None", ""{NOT_CHECKED}',
            id="an unknown enum value in the template",
        ),
        pytest.param(
            {"spec": {"template": {"metadata": {"labels": {"lockstep.dev/rank": "0"}}}}},
            LABELS,
            id="a label of ours in the template",
        ),
        pytest.param({"metadata": {"name": "a" * 53}}, NAME, id="a name too long for its pods"),
        pytest.param({"metadata": {"name": "heat.flow"}}, NAME, id="a name that is no label"),
    ],
)
def test_gangjob_refuses(answer_to_gang, patch, want):
    assert answer_to_gang(patch) == want


@pytest.mark.parametrize(
    "quantity",
    [-1, "-1", 9_300_000_000_000_000, "9300000000000000", 1e30, "1e30", "1e1000000", "1e-1000", "9" * 30, "1e+019"],
)
def test_gangjob_refuses_a_quantity_out_of_this_world(answer_to_gang, quantity):
    one = {"name": "greedy", "image": "x", "resources": {"requests": {"memory": quantity}}}

    answer = answer_to_gang(pod(containers=[one]))

    assert answer.startswith("spec.template.spec.containers[0].resources.requests.memory: Invalid value: ")


@pytest.mark.parametrize(
    ("toleration", "want"),
    [
        pytest.param(
            {"key": "a", "operator": "Exists", "value": "b"},
            "a toleration whose operator is Exists must not have a value.",
            id="a value that is not compared",
        ),
        pytest.param({"value": "b"}, "a toleration without a key must have the operator Exists.", id="no key"),
        pytest.param(
            {"key": "a", "tolerationSeconds": 5},
            "tolerationSeconds is allowed only with the effect NoExecute.",
            id="seconds without an effect",
        ),
    ],
)
def test_gangjob_refuses_toleration(answer_to_gang, toleration, want):
    answer = answer_to_gang(pod(tolerations=[toleration]))

    assert answer == f"spec.template.spec.tolerations[0]: Invalid value: {want}"


@pytest.mark.parametrize(
    ("patch", "want"),
    [
        pytest.param(spec(sise={"min": 1}), "spec.sise", id="beside the size"),
        pytest.param(pod(contianers=[]), "spec.template.spec.contianers", id="in the template"),
        pytest.param(
            pod(containers=[{"name": "member", "imagee": "x"}]),
            "spec.template.spec.containers[0].imagee",
            id="in a container",
        ),
        pytest.param(pod(ephemeralContainers=[]), "spec.template.spec.ephemeralContainers", id="for running pods only"),
        pytest.param(spec(rolls=[]), "spec.rolls", id="misspelt"),
        pytest.param(
            {"spec": {"template": {"metadata": {"finalizers": ["example.com/mine"]}}}},
            "spec.template.metadata.finalizers",
            id="that would keep members from going",
        ),
    ],
)
def test_gangjob_refuses_unknown_field(answer_to_gang, patch, want):
    assert answer_to_gang(patch).endswith(f'strict decoding error: unknown field "{want}"')
