"""``lockstep queue``, ``logs``, ``requeue`` and ``resize`` on a real API server, with the documented rights."""

import json
import subprocess
import sys
from pathlib import Path

import click
import pytest
import yaml
from click.testing import CliRunner

from builders.jobs import job, jobset, pod_spec, replicated
from builders.manifests import failed_status, gang
from docs.markdown import ROOT, fences
from eventually import eventually
from live.kubelet_logs import kubelet_of
from lockstep.cli import main
from sandbox import ApiError
from sandbox.binaries import Tool
from searches import sample

PAGE = ROOT / "docs" / "command-line.md"
HOUR = {"work": {"serialTime": "1h"}}


@pytest.fixture
def user(arena):
    """A user with the Role of the documentation in the arena's namespace."""
    [role] = [yaml.safe_load(one.text) for one in fences(PAGE) if one.language == "yaml"]
    account = {"kind": "ServiceAccount", "name": "user", "namespace": arena.namespace}
    of_rbac = {"apiVersion": role["apiVersion"], "metadata": {"namespace": arena.namespace, "name": "user"}}
    refers = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": role["metadata"]["name"]}
    arena.api.apply(
        [
            {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": of_rbac["metadata"]},
            {**role, "metadata": {**role["metadata"], "namespace": arena.namespace}},
            {**of_rbac, "kind": "RoleBinding", "roleRef": refers, "subjects": [account]},
        ]
    )
    return arena.api.kubeconfig_for_service_account(arena.namespace, "user")


@pytest.fixture
def ask(arena, user):
    """Run a command as that user."""

    def run(*arguments):
        return CliRunner().invoke(main, [*arguments, f"--kubeconfig={user}", f"--namespace={arena.namespace}"])

    return run


def test_queue_shows_gangs_that_run_and_those_that_wait_behind_them(operator, arena, ask):
    arena.add_nodes(2)
    arena.submit(gang("first", size=2, cpu="3", **HOUR))
    arena.until_placed("first")
    arena.submit(gang("second", size=(1, 2), cpu="3", **HOUR))
    arena.submit(gang("giant", size=50, cpu="3", **HOUR))
    arena.until("second", "Planned", "True", "StartsLater")
    arena.until("giant", "Planned", "False", "NotEnoughRoom")

    shown, document = ask("queue"), json.loads(ask("queue", "-o", "json").stdout)

    assert shown.exit_code == 0, shown.stderr
    second, giant = document["gangs"]
    assert (second["gang"]["name"], second["size"]) == ("second", arena.status("second")["size"])
    assert second["start"] == arena.status("second")["plan"]["likelyStart"]
    assert f"{arena.namespace}/first" in second["behind"]
    assert (giant["gang"]["name"], giant["position"]) == ("giant", None)
    [first], status = document["running"], arena.status("first")
    assert (first["gang"]["name"], first["size"], first["nodes"]) == ("first", 2, 2)
    assert (first["since"], first["expectedFinish"]) == (status["start"], status["expectedFinish"])
    _, running, _, _, row, *_ = shown.stdout.splitlines()
    assert running.split()[:4] == [first["state"], f"{arena.namespace}/first", "2", "2"]
    assert row.split()[:3] == [str(second["position"]), f"{arena.namespace}/second", str(second["size"])]
    assert "It needs 50 members" in shown.stdout


def test_positions_are_counted_at_one_moment_where_all_namespaces_may_be_listed(operator, arena, ask):
    arena.add_nodes(1)
    arena.submit(gang("first", size=1, cpu="3", **HOUR))
    arena.until_placed("first")
    for name in ("second", "third", "fourth"):
        arena.submit(gang(name, size=1, cpu="3", **HOUR))
        arena.until(name, "Planned", "True", "StartsLater")
    arena.delete_gang("second")

    everybody = CliRunner().invoke(main, ["queue", "-A", "-o", "json", f"--kubeconfig={arena.api.kubeconfig}"])
    own = CliRunner().invoke(
        main, ["queue", "-n", arena.namespace, "-o", "json", f"--kubeconfig={arena.api.kubeconfig}"]
    )

    placed = [one for one in json.loads(everybody.stdout)["gangs"] if one["position"]]
    starts = sorted(one["start"] for one in placed)
    assert {one["position"] for one in placed} == {1 + starts.index(one["start"]) for one in placed}
    assert {one["gang"]["namespace"] for one in json.loads(own.stdout)["gangs"]} == {arena.namespace}
    assert own.stderr == ""
    assert "the verb list on gangjobs and gangs of all" in " ".join(ask("queue").stderr.split())


def test_right_to_see_all_namespaces_is_named(ask, arena, user):
    done = CliRunner().invoke(main, ["queue", "-A", f"--kubeconfig={user}"])

    assert done.exit_code == 1
    assert "Error: The verb list on gangjobs of all namespaces is needed, and was refused" in done.stderr


def test_logs_of_all_members_are_shown_with_their_ranks(operator, arena, ask, tmp_path):
    arena.add_nodes(3)
    arena.submit(gang("heat", size=3, cpu="3"))
    arena.until_placed("heat")
    eventually(lambda: all(pod["status"].get("phase") == "Running" for pod in arena.pods("heat")))

    with kubelet_of(arena, tmp_path):
        whole = ask("logs", "gj/heat", "--tail", "5")
        one = ask("logs", "heat", "--rank", "1", "-o", "json")

    assert whole.exit_code == 0, whole.stderr
    assert whole.stdout == "".join(
        f"[{rank}] heat-1-{rank} main {{'tailLines': '5'}}\n[{rank}] ends\n" for rank in range(3)
    )
    lines = [json.loads(line) for line in one.stdout.splitlines()]
    assert [(line["rank"], line["pod"], line["line"]) for line in lines] == [
        (1, "heat-1-1", "heat-1-1 main {}"),
        (1, "heat-1-1", "ends"),
    ]


def test_logs_of_a_gang_that_ends_are_followed_to_its_end(operator, arena, ask, tmp_path):
    arena.add_nodes(2)
    with kubelet_of(arena, tmp_path):
        arena.submit(gang("short", size=2, cpu="3", run_for="2s"))
        followed = ask("logs", "gj/short", "--follow")

    assert followed.exit_code == 0, followed.stderr
    assert sorted(followed.stdout.splitlines()) == sorted(
        line for rank in (0, 1) for line in (f"[{rank}] short-1-{rank} main {{'follow': 'true'}}", f"[{rank}] ends")
    )


def test_logs_of_a_gang_that_has_failed_are_shown_of_those_too_that_were_stopped(operator, arena, ask, tmp_path):
    arena.add_nodes(3)
    arena.submit(gang("heat", size=3, cpu="3"))
    arena.until_placed("heat")
    eventually(lambda: all(pod["status"].get("phase") == "Running" for pod in arena.pods("heat")))
    arena.patch_pod_status("heat-1-1", failed_status(3))
    eventually(lambda: {pod["status"]["phase"] for pod in arena.pods("heat")} == {"Failed"})

    with kubelet_of(arena, tmp_path):
        shown = ask("logs", "gj/heat")

    assert shown.exit_code == 0, shown.stderr
    assert shown.stdout == "".join(f"[{rank}] heat-1-{rank} main {{}}\n[{rank}] ends\n" for rank in range(3))


def test_log_of_a_node_that_does_not_answer_is_said(operator, arena, ask):
    arena.add_nodes(1)
    arena.submit(gang("heat", size=1))
    arena.until_placed("heat")
    eventually(lambda: arena.pods("heat")[0]["status"].get("phase") == "Running")

    done = ask("logs", "gj/heat")

    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.startswith("[0] heat-1-0 has a log that can't be read: ")


def test_gang_that_runs_is_put_back_into_the_queue(operator, arena, ask):
    arena.add_nodes(2)
    arena.submit(gang("heat", size=2, cpu="3", **HOUR))
    arena.until_placed("heat")
    age = arena.gang("heat")["metadata"]["creationTimestamp"]

    done = ask("requeue", "gj/heat")

    assert done.stdout == f"{arena.namespace}/heat was taken off its nodes, and is planned again.\n", done.stderr
    assert done.stderr == "Waiting until it holds nothing\n"
    eventually(lambda: arena.status("heat")["attempt"] == 2)
    arena.until_placed("heat")
    assert arena.gang("heat")["metadata"]["creationTimestamp"] == age


def test_gang_that_has_failed_is_made_anew(operator, arena, ask):
    arena.add_nodes(2)
    arena.submit(gang("heat", size=2, cpu="3", run_for="1s", exit_code="3"))
    arena.until("heat", "Failed", reason="MemberFailed")
    before = arena.gang("heat")

    done = ask("requeue", "gj/heat", "-o", "json")

    assert done.exit_code == 0, done.stderr
    assert json.loads(done.stdout)["message"] == f"{arena.namespace}/heat had ended, and is created again."
    after = arena.gang("heat")
    assert after["metadata"]["uid"] != before["metadata"]["uid"]
    assert after["spec"] == {**before["spec"], "suspend": False}
    arena.until("heat", "Failed", reason="MemberFailed")


def test_gang_that_runs_changes_to_the_size_that_is_asked_for(operator, arena, ask):
    arena.add_nodes(2)
    elastic = {"mode": "Restart", "restartTime": "1s", "minInterval": "1s"}
    arena.submit(gang("heat", size=(1, 2), cpu="3", work={"serialTime": "400h"}, elastic=elastic))
    eventually(lambda: arena.status("heat").get("size") == 2 and "startedAt" in arena.status("heat"), seconds=60)

    done = ask("resize", "gj/heat", "--size", "1")

    assert done.stdout == f"{arena.namespace}/heat has 2 members, and changes to 1 soon.\n", done.stderr
    eventually(lambda: arena.status("heat").get("size") == 1 and "startedAt" in arena.status("heat"), seconds=60)
    said = "Shrinks from 2 to 1 member, as elastic.size asks: it ends "
    eventually(lambda: any(event["note"].startswith(said) for event in arena.events("heat")))
    refused = ask("resize", "gj/heat", "--size", "3")
    assert refused.stderr.startswith(f"Error: GangJob {arena.namespace}/heat can't have 3 members: it may have 1 to 2.")
    assert ask("resize", "gj/heat", "--any-size").exit_code == 0
    eventually(lambda: arena.status("heat").get("size") == 2 and "startedAt" in arena.status("heat"), seconds=60)


def test_gang_that_waits_or_is_not_there_is_said(operator, arena, ask):
    arena.submit(gang("giant", size=50, cpu="3"))
    arena.until("giant", "Planned", "False")

    waits, missing = ask("requeue", "gj/giant"), ask("requeue", "gj/missing")

    assert waits.stdout == f"{arena.namespace}/giant waits in the queue already.\n"
    assert (missing.exit_code, missing.stderr) == (1, f"Error: There is no GangJob {arena.namespace}/missing.\n")


def test_gang_of_five_answers_is_accepted_by_the_api_server(arena):
    done = CliRunner().invoke(main, ["init", "heat"], input="busybox\nsleep 60\n2-12\n\n10m\n")

    assert accepted(arena, done)["spec"]["work"] == {"serialTime": "10m"}


TIMES = ["1ms", "1h30m", "1.5h", "876000h", "90s500ms", "1000us", "0s", "-5m", "5", "30m1h", "876001h", "1ns", "1d"]


@pytest.mark.parametrize("time", TIMES)
def test_time_is_taken_where_the_api_server_takes_it(arena, time):
    path = f"{arena.gangs}?dryRun=All&fieldValidation=Strict"
    is_taken = True
    try:
        arena.api.request("POST", path, gang("heat", work={"serialTime": time}))
    except ApiError:
        is_taken = False

    done = CliRunner().invoke(
        main, ["init", "heat", "--image=a", "--command=", "--members=2", "--requests=cpu=1", f"--serial-time={time}"]
    )

    assert (done.exit_code == 0) == is_taken, done.stderr


def test_members_with_devices_and_huge_pages_are_accepted_by_the_api_server(arena):
    needs = "cpu=4,memory=8Gi,nvidia.com/gpu=2,hugepages-2Mi=4Mi"
    arguments = ["--image=a", "--command=", "--members=2", f"--requests={needs}", "--serial-time="]

    made = accepted(arena, CliRunner().invoke(main, ["init", "heat", *arguments]))

    [member] = made["spec"]["template"]["spec"]["containers"]
    pod = {**made["spec"]["template"]["spec"], "restartPolicy": "Never"}
    arena.api.request(
        "POST",
        f"{arena.core}/pods?dryRun=All&fieldValidation=Strict",
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "heat"}, "spec": pod},
    )
    assert member["resources"]["limits"] == {"nvidia.com/gpu": "2", "hugepages-2Mi": "4Mi"}


@pytest.mark.parametrize(
    "manifest",
    [
        pytest.param(
            job(
                parallelism=3,
                completions=9,
                completionMode="Indexed",
                backoffLimit=2,
                activeDeadlineSeconds=60,
                podFailurePolicy={
                    "rules": [
                        {"action": "FailJob", "onExitCodes": {"operator": "NotIn", "values": [1, 2]}},
                        {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]},
                    ]
                },
            ),
            id="a Job",
        ),
        pytest.param(
            jobset(
                replicated("leader", pod=pod_spec(hostname="a", subdomain="b")),
                replicated("workers", replicas=2, parallelism=4, depends_on=[{"name": "leader", "status": "Ready"}]),
                successPolicy={"operator": "All", "targetReplicatedJobs": ["leader"]},
                failurePolicy={"maxRestarts": 3},
            ),
            id="a JobSet",
        ),
        pytest.param(jobset(replicated("workers", replicas=2), suspend=True), id="a JobSet of one job"),
    ],
)
def test_converted_manifest_is_accepted_by_the_api_server(arena, manifest):
    done = CliRunner().invoke(main, ["init", "--from", "-"], input=yaml.safe_dump(manifest))

    assert accepted(arena, done)["metadata"]["name"] == manifest["metadata"]["name"]


def accepted(arena, done):
    """What the API server makes of the printed manifest, field by field, in a dry run."""
    assert done.exit_code == 0, done.stderr
    path = f"{arena.gangs}?dryRun=All&fieldValidation=Strict"
    return arena.api.request("POST", path, yaml.safe_load(done.stdout))


def test_kubectl_completes_names_of_gangs(arena, user, installed):
    for name in ("heat", "heap", "other"):
        arena.submit(gang(name, size=50))

    done = subprocess.run(
        [installed.program(Tool.KUBECTL), "__complete", "lockstep", "logs", "-n", arena.namespace, "gj/hea"],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env={"PATH": str(Path(sys.executable).parent), "KUBECONFIG": str(user), "HOME": str(user.parent)},
    )

    assert done.stdout.splitlines()[:2] == ["gj/heap", "gj/heat"], done.stderr


@pytest.fixture
def plugin(installed, user):
    """Run a command as kubectl's plug-in."""
    environment = {"PATH": str(Path(sys.executable).parent), "KUBECONFIG": str(user), "HOME": str(user.parent)}

    def run(*arguments):
        command = [installed.program(Tool.KUBECTL), "lockstep", *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, env=environment)

    return run


def test_kubectl_knows_them_too(operator, arena, plugin):
    done = plugin("queue", "-n", arena.namespace)

    assert (done.returncode, done.stdout) == (0, f"No gang waits in the namespace {arena.namespace}.\n"), done.stderr


def test_kubectl_knows_every_command(plugin, pytestconfig):
    every = main.list_commands(click.Context(main))
    for name in sample(pytestconfig, "commands", every, one_in=len(every)):
        done = plugin(name, "--help")

        assert (done.returncode, "For example: " in done.stdout) == (0, True), (name, done.stderr)
