"""``lockstep explain``, ``plan`` and ``replay`` as a person meets them without a cluster."""

import json
from dataclasses import replace

import pytest
import yaml
from click.testing import CliRunner

from builders.manifests import gang as manifest
from builders.owners import job_of
from coschedule import Promises, encode_plan, encode_snapshot, plan
from engine.builders import NOW, gang, node, running, snapshot
from lockstep.cli import main
from lockstep.report.text.refusal_sentences import format_refusal

RESOURCES = ("bid slots", "cpu", "pods")
HOUR = {"work": {"serialTime": "1h"}}


def lockstep(*arguments, stdin=None):
    return CliRunner().invoke(main, list(arguments), input=stdin)


def places(count):
    return (count, 1000 * count, 110)


def facts(**more):
    """Two nodes of 2 CPUs; on one of them a gang runs for another minute, and one waits for both."""
    nodes = [node("a", free=places(2)), node("b", free=(0, 0, 100))]
    runs = [running("runs", (1, 2, 2000, 2), end=NOW + 60)]
    waits = gang("waits", size=4, serial=3600, request=(1, 1000, 1), member_price=0.5)
    return snapshot(nodes, [waits], resources=RESOURCES, runs=runs, **more)


@pytest.fixture
def recorded(tmp_path):
    """Write a snapshot and its plan as the page shows them."""

    def write(snap, made=None):
        document = {"snapshot": encode_snapshot(snap), "plan": encode_plan(made or plan(snap), format_refusal)}
        file = tmp_path / "recorded.json"
        file.write_text(json.dumps(document))
        return str(file)

    return write


def planned(snapshot_file, *manifests):
    return lockstep("plan", "-f", "-", "--snapshot", snapshot_file, "-o", "json", stdin=yaml.safe_dump_all(manifests))


# plan --snapshot


def test_further_gang_is_planned_behind_those_of_the_snapshot(recorded):
    done = planned(recorded(facts()), manifest("new", size=(1, 2), **HOUR))

    assert done.exit_code == 0, done.stderr
    answer = json.loads(done.stdout)
    [new] = answer["gangs"]
    # It would not be done before the one in front starts.
    assert (new["reason"], new["size"]) == ("StartsLater", 2)
    assert {one["kind"] for one in new["sooner"]} == {"GangLeaves"}
    assert new["price"]["memberSeconds"] == 0.5
    assert answer["delays"] == []
    assert answer["notes"] == ["The API server was not asked, so this plan lacks its defaults, rules and admission."]


def test_gang_that_is_done_in_time_starts_at_once(recorded):
    short = manifest("new", size=2, work={"serialTime": "40s"})

    [new] = json.loads(planned(recorded(facts()), short).stdout)["gangs"]

    assert (new["reason"], [one["node"] for one in new["members"]]) == ("StartsNow", ["a"])
    assert new["notNow"] == []
    assert new["tried"] == 0


def test_what_the_api_server_fills_in_may_stand_there_already(recorded):
    """``kubectl create --dry-run=client -o yaml`` writes a creation time of null."""
    new = manifest("new", size=2, work={"serialTime": "40s"})
    new["metadata"] |= {"creationTimestamp": None, "uid": 3, "generation": "x"}

    done = planned(recorded(facts()), new)

    assert done.exit_code == 0, done.stderr
    assert json.loads(done.stdout)["gangs"][0]["reason"] == "StartsNow"


def test_gang_of_more_members_than_there_may_be_is_refused(recorded):
    done = planned(recorded(facts()), manifest("new", size=(1, 99_999_999_999), **HOUR))

    assert done.exit_code == 1
    assert "would be refused: size: must be at most 10000 members, not 99999999999." in done.stderr


def test_gangs_of_one_file_are_planned_together(recorded):
    short = {"work": {"serialTime": "40s"}}
    gangs = [manifest("b", size=2, **short), manifest("a", size=2, **short)]

    first, second = json.loads(planned(recorded(facts()), *gangs).stdout)["gangs"]

    assert [one["gang"]["name"] for one in (first, second)] == ["b", "a"]
    assert {first["reason"], second["reason"]} == {"StartsNow", "StartsLater"}


def test_what_a_snapshot_does_not_know_is_said(recorded):
    odd = manifest("new", size=1, priorityClassName="urgent", placement={"onePer": "zone"}, **HOUR)
    odd["spec"]["template"]["spec"]["volumes"] = [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]

    done = lockstep("plan", "-f", "-", "--snapshot", recorded(facts()), stdin=yaml.safe_dump(odd))

    assert done.exit_code == 0, done.stderr
    assert "PriorityClass urgent is not in a snapshot: new is planned at priority 0." in done.stdout
    assert "Volumes are not in a snapshot: new is planned as if every node reached its volumes." in done.stdout
    assert "Other pods are not in a snapshot: new is planned without regard to them." in done.stdout
    assert done.stdout.endswith("Nothing was created.\n")


def test_job_is_planned_as_the_gang_that_the_operator_would_make(recorded):
    job = job_of(parallelism=2, annotations={"lockstep.dev/serial-time": "40s"}, suspend=True)

    done = planned(recorded(facts()), job, manifest("new", size=2, work={"serialTime": "40s"}))

    assert done.exit_code == 0, done.stderr
    answer = json.loads(done.stdout)
    assert [one["gang"]["name"] for one in answer["gangs"]] == ["new", "gang/job.heat"]
    assert {one["reason"] for one in answer["gangs"]} == {"StartsNow", "StartsLater"}
    assert answer["notes"][1:] == [
        "A snapshot lacks the operator's sources: this plan assumes the sources that the manifests need.",
        "Job heat is suspended. This plan assumes that it is not.",
    ]


def test_notes_are_wrapped_for_people(recorded):
    without_line = job_of({"spec": {"containers": [{"name": "main", "image": "work:1"}]}})

    done = lockstep("plan", "-f", "-", "--snapshot", recorded(facts()), stdin=yaml.safe_dump(without_line))

    assert done.exit_code == 0, done.stderr
    assert "Job heat: spec.template.spec.schedulerName is missing." in done.stdout
    assert all(len(line) <= 100 for line in done.stdout.splitlines())


@pytest.mark.parametrize(
    ("sizing", "want"),
    [
        # 1 to 4 members run 64, 38, 32 and 31 s; at 0.5 s a member-second they count 96, 76, 80 and 93 s.
        pytest.param(None, 2, id="as the others"),
        pytest.param("Balanced", 2, id="balanced"),
        pytest.param("Fastest", 4, id="fastest"),
        pytest.param("Fewest", 1, id="fewest"),
    ],
)
def test_sizing_of_its_own_counts(recorded, sizing, want):
    spec = {"work": {"serialTime": "60s", "overhead": {"perMember": "4s"}}, **({"sizing": sizing} if sizing else {})}
    giant = gang("giant", size=99, serial=60, request=(1, 1000, 1), member_price=0.5)
    snap = snapshot([node("a", free=places(4))], [giant], resources=RESOURCES)

    done = planned(recorded(snap), manifest("new", size=(1, 4), **spec))

    [new] = json.loads(done.stdout)["gangs"]
    assert new["size"] == want
    if sizing:
        assert f"Sizings of PriorityClasses are not in a snapshot: new is planned with sizing {sizing}." in done.stdout


@pytest.mark.parametrize(
    ("new", "want"),
    [
        pytest.param(manifest("waits"), "GangJob default/waits is in the snapshot already.", id="the same name"),
        pytest.param(manifest("new", size=(3, 2)), "GangJob default/new would be refused: sizes must", id="sizes"),
        pytest.param(manifest("new", size=None), "GangJob new is invalid", id="no sizes"),
        pytest.param(
            manifest("new", container={"resources": {"requests": {"example.com/gpu": "1"}}}),
            "The snapshot does not know example.com/gpu, since no gang requested them when it was recorded.",
            id="an unknown resource",
        ),
        pytest.param({**manifest("new"), "spec": {"template": {}}}, "GangJob new is invalid", id="an empty template"),
    ],
)
def test_gang_that_can_not_be_planned_is_refused_with_a_sentence(recorded, new, want):
    assert_one_sentence(planned(recorded(facts()), new), want)


# replay


def test_plan_that_is_made_again_is_the_same(recorded):
    done = lockstep("replay", recorded(facts()))

    assert done.exit_code == 0, done.stderr
    assert done.stdout == "1 waiting gang was planned again on 2 nodes.\nThis version decides the same.\n"


def test_what_is_decided_otherwise_is_shown(recorded):
    snap = facts()
    made = plan(snap)
    [placement] = made.decisions
    other = replace(made, decisions=(replace(placement, start=NOW + 90, finish=NOW + 990),))

    done = lockstep("replay", recorded(snap, other))

    assert done.exit_code == 0, done.stderr
    _, name, *rest = done.stdout.splitlines()
    assert name == "default/waits:"
    joined = " ".join(line.strip() for line in rest)
    assert "recorded: 4 members expected on a, b. The start is expected at 1970-01-01T00:18:10Z" in joined
    assert "now: 4 members expected on a, b. The start is expected at 1970-01-01T00:17:40Z" in joined


def test_differences_are_json_too(recorded):
    snap = facts()
    [placement] = plan(snap).decisions
    other = replace(plan(snap), decisions=(replace(placement, size=3),))

    answer = json.loads(lockstep("replay", recorded(snap, other), "-o", "json").stdout)

    [one] = answer["differences"]
    assert (one["gang"]["name"], one["recorded"]["size"], one["decided"]["size"]) == ("waits", 3, 4)


def test_refusal_in_other_words_is_the_same_decision(recorded):
    snap = snapshot([node("a", free=places(1))], [gang("big", size=9, request=(1, 1000, 1))], resources=RESOURCES)
    document = {"snapshot": encode_snapshot(snap), "plan": encode_plan(plan(snap), lambda _: "too large, as ever")}

    done = lockstep("replay", "-", stdin=json.dumps(document))

    assert "This version decides the same." in done.stdout


def test_gang_that_was_not_planned_exactly_is_not_compared(recorded):
    snap = facts()
    document = {"snapshot": encode_snapshot(snap), "plan": encode_plan(plan(snap), format_refusal)}
    document["plan"]["decisions"] = [
        {"gang": {"namespace": "default", "name": "waits"}, "reason": "BehindInQueue", "detail": "far", "hold": None}
    ]

    assert "This version decides the same." in lockstep("replay", "-", stdin=json.dumps(document)).stdout


def test_promises_of_the_snapshot_count(recorded):
    snap = replace(facts(), promises=Promises.SLACK)

    assert "This version decides the same." in lockstep("replay", recorded(snap)).stdout


@pytest.mark.parametrize(
    ("text", "want"),
    [
        pytest.param("", "It is not JSON", id="nothing"),
        pytest.param("{", "It is not JSON", id="half"),
        pytest.param("[]", "It is not what /debug/snapshot shows: an object with a snapshot and a plan.", id="a list"),
        pytest.param('{"plan": {}, "snapshot": {}}', "It is not what /debug/snapshot shows", id="empty"),
        pytest.param('{"plan": 1, "snapshot": 2}', "It is not what /debug/snapshot shows", id="numbers"),
        pytest.param("no gang has been planned yet\n", "It is not JSON", id="what the page says before a plan"),
        pytest.param("\udce4".encode("utf-8", "surrogateescape"), "It is not JSON", id="no text"),
    ],
)
@pytest.mark.parametrize("command", [["replay"], ["plan", "-f", "-", "--snapshot"]], ids=["replay", "plan"])
def test_file_that_is_no_snapshot_is_refused_with_a_sentence(tmp_path, command, text, want):
    file = tmp_path / "odd"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())

    assert_one_sentence(lockstep(*command, str(file), stdin=yaml.safe_dump(manifest("new"))), want)


# What every command says


def test_names_of_a_recording_do_nothing_to_a_terminal(recorded):
    waits = gang("\x1b[31mred\x07", size=4, serial=3600, request=(1, 1000, 1), member_price=0.5)
    snap = snapshot([node("a", free=places(4))], [waits], resources=RESOURCES)
    [placement] = plan(snap).decisions

    done = lockstep("replay", recorded(snap, replace(plan(snap), decisions=(replace(placement, size=3),))))

    assert done.exit_code == 0, done.stderr
    assert done.stdout.splitlines()[1] == r"default/\x1b[31mred\x07:"


@pytest.mark.parametrize(
    ("arguments", "want"),
    [
        pytest.param(["explain"], "Missing argument 'gj/NAME|gang/NAME|sweep/NAME'", id="no gang"),
        pytest.param(
            ["explain", "pod/heat"],
            "pod/heat names no GangJob, Gang or GangSweep: write gj/NAME, gang/NAME or sweep/NAME",
            id="another kind",
        ),
        pytest.param(["explain", "gj/"], "gj/ names no GangJob, Gang or GangSweep", id="no name"),
        pytest.param(["explain", "gj/a", "-o", "xml"], "'xml' is not one of", id="output"),
        pytest.param(
            ["explain", "gj/a", "--kubeconfig", "/nowhere"], "there is no kubeconfig /nowhere", id="no kubeconfig"
        ),
        pytest.param(["explain", "gj/a", "--sizing", "Huge"], "'Huge' is not one of", id="sizing"),
        pytest.param(["plan"], "Missing option '-f'", id="no file"),
        pytest.param(["plan", "-f", "/nowhere"], "No such file", id="a file that is not there"),
        pytest.param(["plan", "-f", "/dev/null"], "The file is empty.", id="an empty file"),
        pytest.param(["replay", "/nowhere"], "No such file", id="a snapshot that is not there"),
    ],
)
def test_wrong_arguments_end_it_with_one_sentence(arguments, want):
    assert_one_sentence(lockstep(*arguments), want)


def test_file_that_is_not_text_is_refused_with_a_sentence(tmp_path):
    file = tmp_path / "odd"
    file.write_bytes(b"\xff\xfe\x00")

    assert_one_sentence(lockstep("plan", "-f", str(file)), "is not text")


@pytest.mark.parametrize("name", ["heat", "gj/heat", "gangjob/heat", "gangjobs/heat", "gangjobs.lockstep.dev/heat"])
def test_gang_may_be_named_as_kubectl_does(name):
    """It goes on to the kubeconfig, which does not exist."""
    assert_one_sentence(lockstep("explain", name, "--kubeconfig", "/nowhere"), "there is no kubeconfig /nowhere")


def assert_one_sentence(done, want):
    lines = [line for line in done.stderr.splitlines() if line.startswith("Error: ")]
    assert done.exit_code != 0
    assert len(lines) == 1, (done.stderr, done.exception)
    assert want in lines[0]
    assert "Traceback" not in done.stderr
