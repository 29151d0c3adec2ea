"""Answers for tenants, asked through a real API server: by an editor, a viewer, and for what must not be seen."""

import json
import re
from urllib.request import urlopen

import pytest
import yaml
from click.testing import CliRunner

from builders.manifests import gang
from eventually import eventually
from live.arena import Arena
from live.quick_start import Forked
from live.tenant_answers import (
    API,
    HOUR,
    SECRET_GANG,
    SECRET_LASTING,
    SECRET_NAMESPACE,
    asked,
    kubeconfig_of,
    plan_of,
    refusal,
)
from lockstep.cli import main
from sandbox import KubectlError


@pytest.mark.parametrize("user", ["editor", "viewer"])
def test_tenant_sees_when_the_own_gangs_start_and_only_numbers_of_others(arena, user, request):
    queue = asked(arena, request.getfixturevalue(user), "tenant/queues/default")

    own = {one["name"]: one for one in queue["gangs"]}
    assert own.keys() == {"blocked", "mine", "pinned"}
    assert (own["mine"]["size"], own["blocked"]["start"]) == (2, None)
    assert own["mine"]["start"] is not None
    assert queue["others"]["waiting"] == 3
    assert (queue["others"]["running"], queue["others"]["members"], queue["others"]["lasting"]) == (2, 3, 1)
    [freed] = queue["others"]["freed"]
    assert freed["nodes"] == 2
    assert freed["withinMinutes"] % 5 == 0


def test_explanation_says_why_and_names_neither_the_gang_in_the_way_nor_its_namespace(arena, editor):
    answer = asked(arena, editor, "tenant/gangjobexplanations/mine")

    assert (answer["phase"], answer["plan"]["reason"]) == ("Waiting", "StartsLater")
    assert answer["plan"]["ahead"] == {"gangs": 0, "members": 0}
    assert "it needs 2 members" in answer["plan"]["notNow"][0].lower()
    assert "The start is expected at" in answer["plan"]["message"]


@pytest.mark.parametrize("name", ["mine", "pinned"])
def test_plan_of_the_server_is_that_of_the_leader(arena, editor, name):
    """Each plans by itself, and not at the same time."""

    def is_that_of_the_leader():
        plan = asked(arena, editor, f"tenant/gangjobexplanations/{name}")["plan"]
        status, planned = arena.status(name), arena.condition(name, "Planned")
        assert (plan["reason"], plan["size"], plan["start"]) == (planned["reason"], status["size"], status["start"])
        assert plan["promisedStart"] == status["plan"]["promisedStart"]
        return plan

    plan = eventually(is_that_of_the_leader, every=2)
    assert None not in (plan["start"], plan["promisedStart"])


@pytest.mark.parametrize(
    "path",
    [
        "queues/default",
        "gangjobexplanations/mine",
        "gangjobexplanations/blocked",
        "gangjobexplanations/pinned",
        "timelines/default",
    ],
    ids=["queue", "explanation", "no end of others", "selector on a host name", "timeline"],
)
def test_no_answer_has_a_name_of_another_namespace(arena, editor, path):
    text = json.dumps(asked(arena, editor, f"tenant/{path}"))

    assert [name for name in ("zebra", "okapi") if name in text] == []


def test_neither_an_explanation_nor_a_status_names_the_gang_in_the_way(arena, editor):
    plan, planned = (
        asked(arena, editor, "tenant/gangjobexplanations/blocked")["plan"],
        arena.condition("blocked", "Planned"),
    )

    assert plan["reason"] == planned["reason"]
    assert plan["message"].startswith("It needs 3 members, and 2 fit: ")
    assert planned["message"].startswith(
        "It needs 3 members, and 2 fit while a gang of another namespace holds 1 node and "
    )


def test_no_object_that_a_viewer_reads_has_a_name_of_another_namespace(arena, viewer):
    kinds = "gangjobs.lockstep.dev,events.events.k8s.io,pods"
    text = arena.api.kubectl(f"--kubeconfig={viewer}", "get", kinds, "--namespace=tenant", "--output=json")

    assert "GangStartsLater" in text
    assert [name for name in ("zebra", "okapi") if name in text] == []


def test_timeline_has_the_own_gangs_and_only_places_that_others_hold(arena, viewer):
    picture = asked(arena, viewer, "tenant/timelines/default")["picture"]

    others = [one for one in picture["gangs"] if one["stage"] == "others"]
    assert {one["name"] for one in picture["gangs"]} - {one["name"] for one in others} == {"mine", "pinned"}
    assert {(one["name"], one["size"], one["says"]) for one in others} == {("", 0, "")}
    assert [one["name"] for one in picture["waiting"]] == ["blocked"]
    assert sum(row["count"] for kind in picture["kinds"] for row in kind["rows"]) == 3


@pytest.mark.parametrize("path", ["queues/default", f"gangjobexplanations/{SECRET_GANG}", "timelines/default"])
def test_another_namespace_is_refused(arena, editor, path):
    assert "Forbidden" in refusal(arena, editor, f"{SECRET_NAMESPACE}/{path}")


def test_gang_of_another_namespace_is_not_there(arena, editor):
    assert "NotFound" in refusal(arena, editor, f"tenant/gangjobexplanations/{SECRET_GANG}")


def test_account_that_may_use_the_group_alone_is_refused_by_the_server(arena):
    """RBAC lets it through: the server asks for the right to the gangs themselves."""
    kubeconfig = kubeconfig_of(arena.api, "tenant", "half", "")
    where = "--namespace=tenant"
    arena.api.kubectl("create", "role", "half", "--verb=get", "--resource=queues.answers.lockstep.dev", where)
    arena.api.kubectl("create", "rolebinding", "half", "--role=half", "--serviceaccount=tenant:half", where)

    assert "may not get gangjobs of namespace tenant" in refusal(arena, kubeconfig, "tenant/queues/default")


def test_account_without_any_right_is_refused_by_the_api_server(arena):
    kubeconfig = kubeconfig_of(arena.api, "tenant", "nothing", "")

    assert "cannot get resource" in refusal(arena, kubeconfig, "tenant/queues/default")


def test_user_of_a_thousand_groups_is_answered(arena):
    """The API server hands on a header for each group."""
    groups = (f"--as-group=team-{number}" for number in range(1000))
    who = ("--as=somebody", "--as-group=system:masters", *groups)

    answer = arena.api.kubectl(*who, "get", "--raw", f"{API}/namespaces/tenant/queues/default")

    assert json.loads(answer)["kind"] == "Queue"


def test_kubectl_knows_the_resources(arena, editor):
    shown = arena.api.kubectl(
        f"--kubeconfig={editor}", "get", "gangjobexplanations", "mine", "--namespace=tenant", "--output=yaml"
    )

    assert yaml.safe_load(shown)["kind"] == "GangJobExplanation"


# Plans of what is not there


def test_editor_may_ask_what_would_become_of_a_gang_and_learns_no_names(arena, editor):
    answer = plan_of(arena, editor, gang("wish", size=2, cpu="3", **HOUR))

    run = answer["plan"]["run"]
    assert (run["size"], run["startsWithinMinutes"] % 5, answer["plan"]["reason"]) == (2, 0, "StartsLater")
    assert [name for name in ("zebra", "okapi", *arena.nodes) if name in json.dumps(answer)] == []


@pytest.mark.parametrize("number", range(3))
def test_plan_that_is_pinned_to_a_node_has_coarse_times_and_no_names(arena, number):
    """Such a plan asks when one node becomes free, so no other plan shows more of those that hold it."""
    # A user of its own for each plan: each may ask for few.
    user, node = f"--as=pins-{number}", arena.nodes[number]
    binding = ("create", "rolebinding", f"pins-{number}", "--clusterrole=edit", f"--user=pins-{number}")
    arena.api.kubectl(*binding, "--namespace=tenant")
    eventually(lambda: may_plan(arena, user))
    wish = gang("wish", size=1, cpu="3", **HOUR)
    wish["spec"]["template"]["spec"]["nodeSelector"] = {"kubernetes.io/hostname": node}
    answer = plan_of(arena, arena.api.kubeconfig, wish, "tenant", user)

    text, plan = json.dumps(answer), answer["plan"]
    [lasting] = Arena(arena.api, SECRET_NAMESPACE).status(SECRET_LASTING)["members"]
    assert (plan["run"] is None) == (node == lasting["node"])
    runs = [one for one in (plan["run"], *plan["sizes"]) if one is not None]
    times = [one[field] for one in runs for field in ("startsWithinMinutes", "endsWithinMinutes")]
    assert all(minutes is None or minutes % 5 == 0 for minutes in times)
    assert re.findall(r"\d{4}-\d\d-\d\dT[\d:.]+Z", text) == [answer["now"]]
    assert [name for name in ("zebra", "okapi") if name in text] == []


def may_plan(arena, user):
    """Whether the API server knows the rights of that user by now."""
    try:
        arena.api.kubectl(user, "auth", "can-i", "create", "plans.answers.lockstep.dev", "--namespace=tenant")
    except KubectlError:
        return False
    return True


@pytest.mark.parametrize(
    ("user", "namespace"), [("viewer", "tenant"), ("editor", SECRET_NAMESPACE)], ids=["viewer", "another namespace"]
)
def test_plan_is_refused_without_the_right_to_create_gangs_there(arena, user, namespace, request):
    with pytest.raises(KubectlError, match="Forbidden"):
        plan_of(arena, request.getfixturevalue(user), gang("wish", size=1), namespace)


def test_question_that_no_api_server_would_take_is_refused(arena, editor):
    with pytest.raises(KubectlError, match=r"size\.max must be at least 1 and at most 10000"):
        plan_of(arena, editor, gang("wish", size=(1, 10**12)))


# The command line


def lockstep(kubeconfig, *arguments):
    return CliRunner().invoke(main, [*arguments, f"--kubeconfig={kubeconfig}", "--namespace=tenant"])


def test_commands_of_a_tenant_are_answered_by_it_and_say_so(arena, viewer):
    shown = lockstep(viewer, "queue")
    explained = lockstep(viewer, "explain", "gj/mine")

    assert (shown.exit_code, explained.exit_code) == (0, 0), shown.output + explained.output
    for done in (shown, explained):
        assert "This answer of the cluster's API for tenants is" in " ".join(done.stderr.split())
        assert "zebra" not in done.output
        assert "All namespaces: 3 gangs planned, 2 gangs on nodes with 3 members." in done.stdout
    assert "tenant/mine" in shown.stdout
    assert "tenant/mine is waiting." in explained.stdout


def test_plan_of_a_tenant_is_made_by_it_after_a_dry_run_of_the_own(arena, editor, tmp_path):
    file = tmp_path / "wish.yaml"
    file.write_text(yaml.safe_dump(gang("wish", size=2, cpu="3", **HOUR)))
    planned = lockstep(editor, "plan", f"--filename={file}")
    file.write_text(yaml.safe_dump(gang("wish", size=(3, 2))))
    refused = lockstep(editor, "plan", f"--filename={file}")

    assert planned.exit_code == 0, planned.output
    assert "tenant/wish starts within" in " ".join(planned.stdout.split())
    assert "zebra" not in planned.output
    assert (refused.exit_code, "The API server would refuse" in refused.output) == (1, True)


def test_plan_of_a_sweep_counts_its_parameters_and_learns_no_names(arena, editor, viewer, tmp_path):
    file, template = tmp_path / "wish.yaml", gang("run", size=1, cpu="3", **HOUR)["spec"]
    sweep = {"parametersFrom": {"configMap": "lines"}, "template": template}
    objects = [
        {"apiVersion": "lockstep.dev/v1alpha1", "kind": "GangSweep", "metadata": {"name": "wish"}, "spec": sweep},
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "lines"},
            "immutable": True,
            "data": {"parameters.csv": "A\n1\n2\n"},
        },
    ]
    file.write_text(yaml.safe_dump_all(objects))
    planned = lockstep(editor, "plan", f"--filename={file}")
    refused = lockstep(viewer, "plan", f"--filename={file}")

    assert planned.exit_code == 0, planned.output
    assert "GangSweep tenant/wish has 2 runs." in " ".join(planned.stdout.split())
    assert [name for name in ("zebra", "okapi", *arena.nodes) if name in planned.output] == []
    assert refused.exit_code == 1
    assert "The verb create on gangsweeps of namespace tenant is needed" in " ".join(refused.output.split())


def test_timeline_command_serves_what_a_viewer_may_see(arena, viewer, tmp_path):
    log = tmp_path / "log"
    log.touch()
    life = Forked(["timeline", f"--kubeconfig={viewer}", "--namespace=tenant"], log)
    try:
        address = eventually(lambda: re.search(r"http://127\.0\.0\.1:\S+", log.read_text()), every=0.25)[0]
        with urlopen(f"{address}.json") as answer:  # noqa: S310 - the address is the command's own
            text = answer.read().decode()
    finally:
        life.kill()
        life.wait(60)

    assert "mine" in {one["name"] for one in json.loads(text)["gangs"]}
    assert [name for name in ("zebra", "okapi") if name in text] == []


def test_commands_of_an_administrator_plan_themselves(arena):
    done = lockstep(arena.api.kubeconfig, "queue")

    assert done.exit_code == 0, done.output
    assert "tenant/mine" in done.stdout
    assert "API for tenants" not in done.stderr


# One gang more


@pytest.fixture
def submit(arena):
    """Submits a gang of one, which is gone after the test: the files share this namespace, and count its gangs."""
    names = []

    def submit_one(name, **more):
        arena.submit(gang(name, size=1, **more, **HOUR))
        names.append(name)

    yield submit_one
    for name in names:
        arena.delete_gang(name)
        eventually(lambda one=name: arena.is_gone(one))


def test_explanation_names_no_gang_of_the_namespace_that_the_user_may_not_get(arena, editor, submit):
    """A role may be for gangs of some names only."""
    submit("small", cpu="3")
    arena.until("small", "Planned")
    kubeconfig = kubeconfig_of(arena.api, "tenant", "narrow", "")
    for kind in ("gangjobs.lockstep.dev", "gangjobexplanations.answers.lockstep.dev"):
        name = kind.partition(".")[0]
        where = "--namespace=tenant"
        arena.api.kubectl("create", "role", name, "--verb=get", f"--resource={kind}", "--resource-name=small", where)
        arena.api.kubectl("create", "rolebinding", name, f"--role={name}", "--serviceaccount=tenant:narrow", where)
    path = "tenant/gangjobexplanations/small"
    eventually(lambda: is_explained(arena, editor, path), every=1)

    assert "tenant/mine" in json.dumps(asked(arena, editor, path))
    assert "tenant/mine" not in json.dumps(asked(arena, kubeconfig, path))


def test_own_gang_that_runs_is_in_the_queue_and_those_of_others_are_not(arena, viewer, submit):
    submit("beside", cpu="500m")
    arena.until_placed("beside")

    def shown():
        queue, status = asked(arena, viewer, "tenant/queues/default"), arena.status("beside")
        assert [one["name"] for one in queue["running"]] == ["beside"]
        [running] = queue["running"]
        assert running["since"] == status["start"]
        assert (running["size"], running["nodes"], running["expectedFinish"]) == (1, 1, status["expectedFinish"])
        return queue

    queue, printed = eventually(shown, every=2), lockstep(viewer, "queue")

    assert "beside" not in {one["name"] for one in queue["gangs"]}
    assert "tenant/beside" in printed.stdout.partition("POSITION")[0]
    assert [name for name in ("zebra", "okapi") if name in json.dumps(queue) + printed.output] == []


def is_explained(arena, kubeconfig, path):
    """Whether the plan that answers are made from has that gang by now."""
    try:
        return asked(arena, kubeconfig, path)["plan"] is not None
    except KubectlError:
        return False
