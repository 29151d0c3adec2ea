"""``lockstep explain`` and ``lockstep plan`` against a real API server, with rights to read and no others."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from builders.manifests import bid, gang, priority_class
from live.asking import confined, named
from live.pod_gangs import PodGangs
from lockstep.cli import main
from sandbox.binaries import Tool

HOUR = {"work": {"serialTime": "1h"}}


# The operator of this file starts with the first test that asks for it: these gangs are not placed meanwhile.
def test_answer_says_why_a_gang_waits_and_what_would_help(arena, ask):
    nodes = arena.add_nodes(3, cpu="2")
    arena.add_nodes(1, cpu="2", labels={"kind": "other"})
    arena.create(bid(nodes[0], dutyCycle="500m"))
    arena.create(bid(nodes[1], availableFrom="2100-01-01T00:00:00Z"))
    arena.submit(gang("wide", size=3, cpu="2", pod={"nodeSelector": {"kind": "other"}}, **HOUR))

    done = ask("explain", "gj/wide", "-o", "json")

    assert done.exit_code == 0, done.stderr
    answer = json.loads(done.stdout)
    assert (answer["phase"], answer["reason"]) == ("Waiting", "NotEnoughRoom")
    assert answer["gang"] == {"namespace": arena.namespace, "name": "wide"}
    [room] = answer["notNow"]
    assert {"what": "without kind=other", "nodes": room["nodes"] - 1} in room["failing"]
    assert (room["needed"], room["withRoom"], room["slots"]) == (3, 1, 1)
    helps = {one["kind"]: one for one in answer["sooner"]}
    assert helps.keys() == {"FewerMembers", "SelectorDropped"}
    assert (helps["FewerMembers"]["size"], helps["SelectorDropped"]["if"]) == (
        1,
        "nodes without kind=other were allowed",
    )


def test_text_says_the_same_to_people(arena, ask):
    arena.add_nodes(4)
    arena.submit(gang("heat", size=(1, 4), cpu="2", **HOUR))

    done = ask("explain", "heat")

    assert done.exit_code == 0, done.stderr
    assert f"{arena.namespace}/heat starts now and ends in 15 min: 4 members on" in done.stdout
    assert " *        4           now        15 min  █████" in done.stdout
    assert (
        "Why these nodes: they are the fastest that pass its constraints and have room from start to finish."
        in done.stdout
    )
    assert all(len(line) <= 100 for line in done.stdout.splitlines())
    assert "Reading the cluster" in done.stderr


def test_plan_says_what_would_happen_with_the_defaults_of_the_api_server(arena, ask):
    arena.add_nodes(2)
    manifest = confined(arena, gang("new", size=(1, 2), cpu="4", **HOUR))

    done = ask("plan", "-f", "-", "-o", "json", stdin=yaml.safe_dump(manifest))

    assert done.exit_code == 0, done.stderr
    [answer] = json.loads(done.stdout)["gangs"]
    assert (answer["reason"], answer["size"]) == ("StartsNow", 2)
    assert [one["node"] for one in answer["members"]] == arena.nodes
    assert arena.is_gone("new")


def test_several_gangs_of_a_file_are_planned_together(arena, ask, tmp_path):
    arena.add_nodes(1, cpu="4")
    file = tmp_path / "gangs.yaml"
    file.write_text(yaml.safe_dump_all([confined(arena, gang(name, size=1, cpu="3", **HOUR)) for name in ("a", "b")]))

    done = ask("plan", "-f", str(file), "-o", "json")

    assert done.exit_code == 0, done.stderr
    first, second = json.loads(done.stdout)["gangs"]
    assert (first["reason"], second["reason"]) == ("StartsNow", "StartsLater")
    assert [one["kind"] for one in second["sooner"]] == ["GangLeaves"]


def test_urgent_gang_says_which_gangs_it_would_delay(arena, ask):
    arena.add_nodes(1, cpu="4")
    arena.create(priority_class(f"urgent-{arena.pool}", 1000))
    arena.submit(gang("first", size=1, cpu="3", **HOUR))
    urgent = gang("urgent", size=1, cpu="3", priorityClassName=f"urgent-{arena.pool}", **HOUR)

    done = ask("plan", "-f", "-", stdin=yaml.safe_dump(confined(arena, urgent)))

    assert done.exit_code == 0, done.stderr
    assert f"Gangs that would start later: {arena.namespace}/first by 1 h." in done.stdout
    assert done.stdout.endswith("Nothing was created.\n")


@pytest.mark.parametrize(
    ("change", "want"),
    [
        pytest.param({"size": {"min": 3, "max": 2}}, "would refuse GangJob", id="a rule of the CRD"),
        pytest.param({"sise": 1}, "unknown field", id="a field that there is not"),
    ],
)
def test_manifest_that_the_api_server_refuses_is_refused_in_its_words(arena, ask, change, want):
    manifest = confined(arena, gang("odd"))
    manifest["spec"] |= change

    assert_one_sentence(ask("plan", "-f", "-", stdin=yaml.safe_dump(manifest)), want)


def test_gang_that_lockstep_would_refuse_is_said_to_be_refused(arena, ask):
    manifest = confined(arena, gang("odd", pod={"schedulerName": "another"}))

    done = ask("plan", "-f", "-", stdin=yaml.safe_dump(manifest))

    assert done.exit_code == 0, done.stderr
    assert f"{arena.namespace}/odd is refused. template.spec.schedulerName" in done.stdout


def test_gang_that_is_there_already_is_not_planned_once_more(arena, ask):
    arena.submit(gang("heat", size=50))

    assert_one_sentence(ask("plan", "-f", "-", stdin=yaml.safe_dump(gang("heat"))), "exists already")


def test_missing_gang_is_reported(ask, arena):
    assert_one_sentence(ask("explain", "gj/missing"), f"There is no GangJob {arena.namespace}/missing.")


@pytest.fixture
def gangs(arena):
    """Gangs and pods for them. The operator of this file leaves them alone, so they wait."""
    gangs = PodGangs(arena)
    yield gangs
    gangs.close()


def test_gang_whose_pods_wait_is_explained_like_a_gangjob(arena, gangs, ask):
    arena.add_nodes(1, cpu="2")
    gangs.submit("heat", 3)
    gangs.create_pods("heat", "a", "b", "c")

    done = ask("explain", "gang/heat", "--sources", "pods", "-o", "json")

    assert done.exit_code == 0, done.stderr
    answer = json.loads(done.stdout)
    assert (answer["gang"]["name"], answer["phase"], answer["reason"]) == ("gang/heat", "Waiting", "NotEnoughRoom")
    [room] = answer["notNow"]
    assert (room["needed"], room["slots"]) == (3, 2)


def test_gang_takes_the_room_of_gangs_behind_it(arena, gangs, ask):
    arena.add_nodes(1, cpu="2")
    gangs.submit("heat", 2, work={"serialTime": "1h"})
    gangs.create_pods("heat", "a", "b")
    manifest = yaml.safe_dump(confined(arena, gang("new", size=1, cpu="1", **HOUR)))

    beside, alone = (
        json.loads(ask("plan", "-f", "-", "-o", "json", *sources, stdin=manifest).stdout)["gangs"][0]
        for sources in (("--sources", "pods"), ())
    )

    assert (beside["reason"], alone["reason"]) == ("StartsLater", "StartsNow")


def test_gang_that_awaits_pods_says_how_many_are_there(arena, gangs, ask):
    gangs.submit("heat", 2)
    gangs.create_pods("heat", "a")

    done = ask("explain", "gang/heat", "--sources", "pods")

    assert done.exit_code == 0, done.stderr
    want = f"{arena.namespace}/gang/heat: 1 of the 2 needed pods wait for a node."
    assert " ".join(done.stdout.split()) == want


def test_gang_is_missing_or_not_searched_for(ask, arena):
    assert_one_sentence(ask("explain", "gang/none", "--sources", "pods"), f"There is no Gang {arena.namespace}/none.")
    # The operator of this file may have written its options.
    unknown = f"--settings={arena.namespace}/none"
    assert_one_sentence(ask("explain", "gang/none", unknown), "it runs without --sources")


def test_right_that_is_missing_is_named(arena, installed):
    arena.api.apply([{"apiVersion": "v1", "kind": "ServiceAccount", "metadata": named("nobody", arena.namespace)}])
    kubeconfig = installed.kubeconfig_for_service_account(arena.namespace, "nobody")

    done = CliRunner().invoke(main, ["explain", "gj/heat", f"--kubeconfig={kubeconfig}"])

    assert_one_sentence(done, "The verb list on nodes of all namespaces is needed, and was refused")


def test_kubectl_finds_it_as_a_plugin(arena, asker, installed):
    arena.add_nodes(1)
    arena.submit(gang("heat", size=1, **HOUR))
    kubectl = installed.program(Tool.KUBECTL)

    done = subprocess.run(
        [kubectl, "lockstep", "explain", "gj/heat", "-n", arena.namespace, "-o", "json"],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env={"PATH": str(Path(sys.executable).parent), "KUBECONFIG": str(asker), "HOME": str(asker.parent)},
    )

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["reason"] == "StartsNow"


def test_answer_says_that_a_gang_is_placed_refused_suspended_or_over(operator, arena, ask):
    arena.add_nodes(2)
    arena.submit(gang("placed", size=2, cpu="3", **HOUR))
    arena.submit(gang("refused", pod={"schedulerName": "another"}))
    arena.submit(gang("asleep", suspend=True))
    arena.submit(gang("over", size=1, run_for="300ms"))
    arena.until_placed("placed")
    arena.until_complete("over")
    arena.until("refused", "Accepted", "False")
    arena.until("asleep", "Suspended", "True")

    answers = {name: ask_json(ask, name) for name in ("placed", "refused", "asleep", "over")}

    assert {name: one["phase"] for name, one in answers.items()} == {
        "placed": "Placed",
        "refused": "Refused",
        "asleep": "Suspended",
        "over": "Complete",
    }
    assert answers["placed"]["why"] == arena.condition("placed", "Planned")["message"]
    assert [one["node"] for one in answers["placed"]["members"]] == arena.nodes
    assert "schedulerName" in answers["refused"]["message"]
    assert answers["over"]["members"] == []
    assert "2 members since" in ask("explain", "placed").stdout


def test_answer_is_the_plan_of_the_operator(operator, arena, ask):
    arena.add_nodes(2, cpu="4")
    arena.submit(gang("first", size=2, cpu="3", **HOUR))
    arena.until_placed("first")
    arena.submit(gang("second", size=(1, 2), cpu="3", **HOUR))
    arena.until("second", "Planned", "True", "StartsLater")

    answer = ask_json(ask, "second")

    status = arena.status("second")
    assert (answer["size"], answer["start"], answer["reason"]) == (status["size"], status["start"], "StartsLater")
    assert [one["kind"] for one in answer["sooner"]] == ["GangEnds"]
    assert f"{arena.namespace}/first" in answer["sooner"][0]["if"]
    assert answer["price"]["memberSeconds"] > 0


def ask_json(ask, name):
    done = ask("explain", name, "-o", "json")
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


def assert_one_sentence(done, want):
    lines = [line for line in done.stderr.splitlines() if line.startswith("Error: ")]
    assert done.exit_code != 0
    assert len(lines) == 1, done.stderr
    assert want in lines[0]
    assert "Traceback" not in done.stderr
