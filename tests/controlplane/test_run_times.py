"""What finished runs took is kept on a real API server, with the operator's own rights and no others."""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from builders.manifests import bid, gang
from eventually import eventually
from live.arena import Arena
from live.quick_start import Forked
from lockstep.api.gangjob.work import parse_work
from lockstep.cli import main
from lockstep.facts.past_runs import KIND_LABEL
from lockstep_demo.operator_process import OperatorProcess, running
from sandbox.errors import ApiError

KEPT = "/api/v1/namespaces/lockstep-system/configmaps/lockstep-run-times"
WORK = {"serialTime": "20s"}


@pytest.fixture
def elected(operator_kubeconfig: Path, tmp_path: Path, arena: Arena) -> Iterator[OperatorProcess]:
    """An operator that leads by the lease; what it keeps is deleted after the test."""
    with running(
        OperatorProcess(operator_kubeconfig, tmp_path / "log", "--leader-elect=true", spawn=Forked)
    ) as process:
        yield process
    arena.delete(KEPT)


def timed(name, size=1, work=WORK):
    return gang(name, size=size, run_for="1s", work=work)


def kept(arena, name="runs.json"):
    return json.loads(arena.api.request("GET", KEPT)["data"][name])


def until_kept(arena, runs):
    """Wait until so many runs of the one template are kept; return its digest and its runs.

    A process that ends tries for two seconds to write them.
    """

    def all_of_them():
        with suppress(ApiError):
            [(digest, found)] = kept(arena)[arena.namespace].items()
            return (digest, found) if len(found) == runs else None

    return eventually(all_of_them)


@pytest.mark.search("plans by what runs took")
def test_next_process_plans_with_what_runs_took(arena, elected):
    arena.add_nodes(1)
    for name in ("a", "b", "c"):
        arena.submit(timed(name))
    arena.until_complete("a", "b", "c")
    _, runs = until_kept(arena, 3)
    assert elected.stop() == 0

    factors = [factor for factor, *_ in runs]
    assert all(1 <= factor < 1000 for factor in factors)
    assert [members for _, members, *_ in runs] == [1, 1, 1]
    elected.start()
    arena.submit(timed("d"))
    arena.until_placed("d")

    status, largest = arena.status("d"), max(factors) / 1000
    assert float(status["runTimeFactor"]) == largest
    assert "times as stated, like those of its last 3 runs" in arena.condition("d", "Planned")["message"]
    assert elected.metrics()["lockstep_run_time_templates"] == 1
    assert "cannot" not in elected.log_text()


@pytest.fixture
def tenant(arena):
    """A user who may list the GangJobs of a namespace, and nothing else."""
    rules = [{"apiGroups": ["lockstep.dev"], "resources": ["gangjobs"], "verbs": ["list"]}]
    account = {"kind": "ServiceAccount", "name": "tenant", "namespace": arena.namespace}
    metadata = {"namespace": arena.namespace, "name": "tenant"}
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "tenant"}
    of_rbac = {"apiVersion": "rbac.authorization.k8s.io/v1", "metadata": metadata}
    arena.api.apply(
        [
            {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata},
            {**of_rbac, "kind": "Role", "rules": rules},
            {**of_rbac, "kind": "RoleBinding", "roleRef": role, "subjects": [account]},
        ]
    )
    return arena.api.kubeconfig_for_service_account(arena.namespace, "tenant")


def profile(tenant, arena, name, *options):
    """Ask as the tenant."""
    where = [f"--kubeconfig={tenant}", f"--namespace={arena.namespace}"]
    return CliRunner().invoke(main, ["profile", f"gj/{name}", *where, *options])


def test_tenant_reads_what_the_runs_of_a_template_took(arena, elected, tenant):
    arena.add_nodes(8)
    sizes, work = {f"run-{number}": 1 + number % 2 for number in range(6)}, {"serialTime": "100s"}
    for name, size in sizes.items():
        arena.submit(timed(name, size, work))
        arena.until_complete(name)
    arena.submit(timed("learner", 1, {**work, "learn": True}))
    arena.until_placed("learner")
    elected.stop()
    arena.submit(timed("next", 4, work))

    answered = profile(tenant, arena, "next", "-o", "json")

    assert answered.exit_code == 0, answered.stderr
    document = json.loads(answered.stdout)
    assert [run["members"] for run in document["runs"]] == list(sizes.values())
    assert [run["slowdown"] for run in document["runs"]] == pytest.approx([1] * len(sizes), abs=0.1)
    assert document["toldBy"]["name"] == "run-5"
    # It has another work in its spec, and the same runs. Whether they are even enough for a law is not known here.
    used = arena.status("learner")["workUsed"]
    assert used["source"] in ("Stated", "Learned")
    # It may be planned before the end of the last run has been read.
    assert re.match(r"Forecasts of [56] runs with 1 and 2 members are off by ", used["message"])
    assert {row["members"] for row in document["foretold"]} == {1, 2, 4}
    shown = profile(tenant, arena, "next")
    block = shown.stdout.split("To paste into its spec:\n\n")[1].split("\n\n")[0]
    pasted = yaml.safe_load(block)["work"]
    arena.submit(gang("pasted", size=4, work=pasted))
    assert parse_work(pasted, 4).serial > 0


@pytest.mark.search("plans by what runs took")
def test_gang_that_asks_for_it_is_planned_by_the_law_that_its_runs_have_followed(arena, elected):
    """100 s are stated; what is kept says that each run took 50 s beside its part of them."""
    work = {"serialTime": "100s"}
    arena.add_nodes(8)
    arena.submit(timed("first", 1, work))
    arena.until_complete("first")
    digest, _ = until_kept(arena, 1)
    assert elected.stop() == 0
    runs = [[1000 + 500 * size, size, 1000, 50_000 + 100_000 // size] for size in (1, 2, 4)] * 4
    text = json.dumps({arena.namespace: {digest: runs}})
    arena.api.request("PATCH", KEPT, {"data": {"runs.json": text}})

    elected.start()
    arena.submit(timed("stated", 4, work))
    arena.submit(timed("learner", 4, {**work, "learn": True}))
    arena.until_complete("stated", "learner")

    status = arena.status("learner")
    assert status["workUsed"] == {
        "source": "Learned",
        "message": "Forecasts of 12 runs with 1, 2 and 4 members are off by less than 0.01 % with the formula of "
        "earlier runs, and by 32 % with the stated times, on average.",
    }
    assert (
        "times the run times of the formula that fits its last 12 runs"
        in arena.condition("learner", "Planned")["message"]
    )
    expected = datetime.fromisoformat(status["expectedFinish"]) - datetime.fromisoformat(status["start"])
    assert expected.total_seconds() == pytest.approx(75, abs=1)
    assert "workUsed" not in arena.status("stated")


@pytest.mark.search("plans by what runs took")
def test_gang_that_asks_for_it_is_planned_by_what_each_kind_of_nodes_made_of_its_runs(arena, elected):
    """By its bid the node of kind wide is twice as fast; what is kept says that runs take three times as long there."""
    work = {"serialTime": "100s"}
    [usual] = arena.add_nodes(1, labels={KIND_LABEL: "usual"})
    arena.submit(timed("first", 1, work))
    arena.until_complete("first")
    assert elected.stop() == 0
    [[digest, [first]]] = kept(arena)[arena.namespace].items()
    assert (first[-1], kept(arena, "kinds.json")) == (1, ["usual"]), "the run has the kind of its node"
    runs = [[1000, 1, 1000, 100_000, 1]] * 5 + [[3000, 1, 500, 150_000, 2]] * 3
    data = {"runs.json": json.dumps({arena.namespace: {digest: runs}}), "kinds.json": json.dumps(["usual", "wide"])}
    arena.api.request("PATCH", KEPT, {"data": data})
    [wide] = arena.add_nodes(1, labels={KIND_LABEL: "wide"})
    arena.create(bid(wide, capacity="2"))

    elected.start()
    arena.submit(timed("stated", 1, work))
    arena.submit(timed("learner", 1, {**work, "learn": True}))
    arena.until_complete("stated", "learner")

    assert placed_on(arena, "stated") == [wide]
    assert placed_on(arena, "learner") == [usual]
    says = "runs take 3 times as long as usual on wide (3 runs), 1 times as long on usual (5 runs)"
    assert says in arena.status("learner")["workUsed"]["message"]


def placed_on(arena, name):
    """The nodes that the gang was placed on: its pods may be gone by now."""
    return [one["node"] for one in arena.status(name)["members"]]


def test_user_without_the_right_to_list_gangs_gets_an_error_and_so_does_a_wrong_name(arena, tenant):
    other = CliRunner().invoke(main, ["profile", "gj/heat", f"--kubeconfig={tenant}", "--namespace=kube-system"])
    missing = profile(tenant, arena, "heat")

    assert "Error: The verb list on gangjobs of namespace kube-system is needed, and was refused" in other.stderr
    assert f"Error: There is no GangJob {arena.namespace}/heat." in missing.stderr
    assert {other.exit_code, missing.exit_code} == {1}
