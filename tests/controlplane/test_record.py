"""Gangs stay on record after their deletion, with the user that the API server knows, though the recorder dies."""

import asyncio
import json
from http import HTTPStatus
from time import time

import pytest
from click.testing import CliRunner

from builders.manifests import gang
from eventually import eventually
from live.arena import Arena
from live.outages import dead
from live.quick_start import Forked
from live.recording import ACCOUNT, MAPS, RIGHTS, SYSTEM, rows_of_file, started_recorder
from lockstep.api.client.client import KubeClient
from lockstep.api.client.configuration import load_configuration
from lockstep.cli import main
from lockstep.recorder.database import Retention
from lockstep.recorder.process import Recorder, RecorderSettings
from lockstep_demo.operator_process import OperatorProcess, running
from rights.granted import OPERATOR
from sandbox import ApiError

POLICIES = OPERATOR / "record-users.yaml"
SWEEPS = OPERATOR / "rbac-sweeps.yaml"
CREATED_BY = "lockstep.dev/created-by"
RETENTION = Retention(records=1e12, users=1e12, most_bytes=2**30)


@pytest.fixture(scope="module")
def recorded(installed):
    """The control plane, on which the recorder may do what it may, and users are written down."""
    installed.apply(RIGHTS)
    installed.apply(POLICIES)
    yield installed
    for manifest in (RIGHTS, POLICIES):
        installed.kubectl("delete", f"--filename={manifest}", "--wait=false")


@pytest.fixture(scope="module")
def operator(recorded, operator_kubeconfig, tmp_path_factory):
    """An operator that hands records over."""
    election = ("--leader-elect=true", f"--leader-elect-resource-namespace={SYSTEM}")
    options = (*election, "--record=true", "--record-users=true", "--sweeps=true")
    log = tmp_path_factory.mktemp("operator") / "log"
    recorded.apply(SWEEPS.parents[1] / "crds" / "gangsweeps.yaml")
    recorded.apply(SWEEPS)
    with running(OperatorProcess(operator_kubeconfig, log, *options, spawn=Forked)) as process:
        yield process
    recorded.kubectl("delete", f"--filename={SWEEPS}")


@pytest.fixture
def arena(operator, recorded, namespace):
    """A namespace in which users are written down by now.

    A policy that was just applied does not count yet. For a kind that was just defined, it makes the API server refuse
    objects for some time.
    """
    arena = Arena(recorded, namespace)

    def is_stamped():
        probe = gang("probe", size=1)
        try:
            made = recorded.request("POST", f"{arena.gangs}?dryRun=All", probe)
        except ApiError as error:
            if error.status != HTTPStatus.SERVICE_UNAVAILABLE:
                raise
            return False
        return CREATED_BY in made["metadata"].get("annotations", {})

    eventually(is_stamped, seconds=60)
    yield arena
    # First, since the operator makes the gang of a run again that is deleted alone.
    recorded.kubectl("delete", "gangsweeps", "--all", f"--namespace={arena.namespace}")
    arena.close()


def user_of(manifest):
    return manifest["metadata"]["annotations"][CREATED_BY]


def test_gang_and_runs_of_a_sweep_stay_on_record_though_the_recorder_was_killed(arena, recorded, tmp_path):
    database = tmp_path / "record.db"
    arena.add_nodes(2)
    arena.submit(gang("kept", size=2, cpu="1"))
    sweep = {"runs": 1, "template": gang("run", size=1, cpu="1")["spec"]}
    manifest = {"apiVersion": "lockstep.dev/v1alpha1", "kind": "GangSweep", "metadata": {"name": "s"}, "spec": sweep}
    recorded.request("POST", arena.gangs.replace("gangjobs", "gangsweeps"), manifest)
    eventually(lambda: not arena.is_gone("s-0"))
    arena.until_placed("kept", "s-0")
    user = user_of(arena.gang("kept"))
    assert user_of(arena.gang("s-0")) == user
    eventually(lambda: recorded.request("GET", MAPS)["items"])
    recorder = started_recorder(recorded, database)
    eventually(lambda: {"kept", "s-0"} <= {name for name, _ in outcomes(database)})
    recorder.kill()
    recorder.wait(60)

    arena.delete_gang("kept")
    eventually(lambda: recorded.request("GET", MAPS)["items"])
    recorder = started_recorder(recorded, database)
    eventually(lambda: ("kept", "Deleted") in outcomes(database))
    eventually(lambda: not recorded.request("GET", MAPS)["items"])
    recorder.terminate()
    assert recorder.wait(60) == 0

    asked = ["history", f"--database={database}", "-n", arena.namespace, "-o", "json"]
    shown = [json.loads(line) for line in CliRunner().invoke(main, asked).stdout.splitlines()]
    assert {one["name"]: (one["user"], one["outcome"]) for one in shown} == {
        "kept": (user, "Deleted"),
        "s-0": (user, "Open"),
    }
    [kept] = [one for one in shown if one["name"] == "kept"]
    assert kept["core-hours"] > 0
    assert kept["sizes"].startswith("2 from ")


def test_gang_that_ended_and_was_deleted_while_no_operator_ran_is_closed_as_unknown(
    operator, arena, recorded, tmp_path
):
    """The recorder asks for it as its own account, once it has heard nothing of it for ten minutes."""
    database = tmp_path / "record.db"
    arena.add_nodes(1)
    arena.submit(gang("unseen", size=1, cpu="1"))
    arena.submit(gang("there", size=1, cpu="1"))
    arena.until_placed("unseen", "there")
    eventually(lambda: {("unseen", "Open"), ("there", "Open")} <= recorded_after(0, recorded, database))

    with dead(operator):
        for pod in arena.pods("unseen"):
            arena.patch_pod_status(pod["metadata"]["name"], {"phase": "Succeeded"})
        arena.delete_gang("unseen")
        eventually(lambda: arena.is_gone("unseen"))
        assert ("unseen", "Open") in recorded_after(0, recorded, database)

        found = recorded_after(1000, recorded, database)

    assert {("unseen", "Unknown"), ("there", "Open")} <= found


def recorded_after(seconds, cluster, database):
    """The outcomes in the file, after a round of the recorder so many seconds later, with the rights of its account."""
    kubeconfig = cluster.kubeconfig_for_service_account(SYSTEM, ACCOUNT)
    configuration = load_configuration(kubeconfig=str(kubeconfig), context=None)
    settings = RecorderSettings(namespace=SYSTEM, path=database, retention=RETENTION)

    async def take_in():
        async with KubeClient(configuration, concurrency=1, observer=lambda *_: None) as client:
            recorder = Recorder(client, settings, lambda: time() + seconds)
            assert await recorder.round()
            recorder.close()

    asyncio.run(take_in())
    return outcomes(database)


def outcomes(database):
    """The names and outcomes in the file."""
    return {*rows_of_file(database, "SELECT name, outcome FROM gangs")}


def test_user_of_a_gang_is_what_the_api_server_knows_and_nothing_that_clients_write(arena, recorded):
    forged = gang("forged", size=1, suspend=True)
    forged["metadata"]["annotations"] = {CREATED_BY: "somebody-else"}
    made = recorded.request("POST", arena.gangs, forged)
    user = user_of(made)
    assert user not in ("", "somebody-else")

    for annotations in (None, {CREATED_BY: None}, {CREATED_BY: "somebody-else"}):
        changed = recorded.request("PATCH", f"{arena.gangs}/forged", {"metadata": {"annotations": annotations}})
        assert user_of(changed) == user


def test_gang_without_a_user_gets_none_later(arena, recorded, operator_kubeconfig):
    """Such are gangs from before the policies, and those that the operator makes for pods of others."""
    manifest = gang("old", size=1, suspend=True)
    recorded.kubectl(
        *("create", f"--kubeconfig={operator_kubeconfig}", f"--namespace={arena.namespace}", "--filename=-"),
        stdin=json.dumps(manifest),
    )

    with pytest.raises(ApiError, match=r"created-by is written by the cluster"):
        recorded.request("PATCH", f"{arena.gangs}/old", {"metadata": {"annotations": {CREATED_BY: "somebody-else"}}})
