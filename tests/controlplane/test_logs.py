"""What the operator writes down: one JSON object a line, with the gang in a field, and no token."""

import json
import subprocess
import sys

import pytest
import yaml

from builders.manifests import gang
from eventually import eventually
from live.proxy import Injected
from live.quick_start import Forked
from lockstep_demo.operator_process import OperatorProcess, running
from sandbox.ports import KeptPort

SECONDS = 90
FIELDS = {"time", "level", "logger", "message"}


@pytest.fixture(scope="module")
def operator(proxy, tmp_path_factory):
    """An operator that says all it can say, as JSON; one for all tests of this file."""
    log = tmp_path_factory.mktemp("operator") / "log"
    options = ("--log-format=json", "--log-level=debug")
    with running(OperatorProcess(proxy.kubeconfig, log, *options, spawn=Forked)) as process:
        yield process


def test_line_about_a_gang_names_it_in_a_field(operator, arena):
    arena.add_nodes(1)
    arena.submit(gang("heat"))
    arena.until_placed("heat")

    arena.delete_pod("heat-1-0")

    [line] = eventually(lambda: warnings(operator, f"{arena.namespace}/heat"))
    assert (line["level"], line["logger"]) == ("warning", "lockstep.act.ending.undo")
    assert line["message"].startswith("attempt 1 of the gang is torn down: ")


def test_suspended_gang_is_no_warning_in_the_log_or_in_an_event(operator, arena):
    arena.add_nodes(1)
    arena.submit(gang("heat"))
    arena.until_placed("heat")

    arena.change_gang("heat", suspend=True)

    arena.until("heat", "Suspended")
    of_it = [one for one in lines(operator) if one.get("gang") == f"{arena.namespace}/heat"]
    assert ("info", "attempt 1 of the gang is torn down: the gang is suspended") in {
        (one["level"], one["message"]) for one in of_it
    }
    assert {one["level"] for one in of_it} == {"debug", "info"}
    eventually(lambda: {"GangPlaced", "GangSuspended"} <= {one["reason"] for one in arena.events("heat")})
    assert {one["type"] for one in arena.events("heat")} == {"Normal"}


def test_trouble_of_watches_and_writes_is_logged_without_our_token(operator, arena, proxy):
    arena.add_nodes(1)
    answers = iter([Injected(401), Injected(403), Injected(410), Injected(200, body=b"<html>"), Injected(0)] * 2)
    proxy.watch_fault = lambda _resource: next(answers, None)
    proxy.fault = lambda _verb, resource: Injected(422) if resource == "gangjobs/status" else None

    arena.submit(gang("heat"))

    eventually(lambda: warnings(operator, f"{arena.namespace}/heat"))
    proxy.reset()
    arena.until_placed("heat")
    [user] = yaml.safe_load(proxy.kubeconfig.read_text())["users"]
    assert user["user"]["token"][:40] not in operator.log_text()


def test_every_line_is_one_object(operator):
    loggers = {line["logger"] for line in lines(operator)}

    assert {"lockstep.process.serve", "lockstep.process.pages.listening"} <= loggers


def test_reason_for_not_starting_is_such_a_line_too(proxy, tmp_path):
    kept_port = KeptPort()
    document = yaml.safe_load(proxy.kubeconfig.read_text())
    document["clusters"][0]["cluster"] = {"server": f"http://127.0.0.1:{kept_port.number}"}
    (tmp_path / "kubeconfig").write_text(yaml.safe_dump(document))

    done = subprocess.run(
        [sys.executable, "-m", "lockstep", "run", "--log-format=json", "--kubeconfig", str(tmp_path / "kubeconfig")],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )

    [line] = [json.loads(line) for line in done.stderr.splitlines()]
    assert (done.returncode, line["level"]) == (1, "critical")
    assert "does not answer" in line["message"]


def warnings(operator, gang_name):
    """What was logged of a gang that is no part of its ordinary life."""
    return [one for one in lines(operator) if one.get("gang") == gang_name and one["level"] == "warning"]


def lines(operator):
    """Everything that was logged so far; the last line may still be written."""
    written = [json.loads(line) for line in operator.log_text().splitlines(keepends=True) if line.endswith("\n")]
    assert [line for line in written if not FIELDS <= line.keys() <= FIELDS | {"gang", "attempt", "exception"}] == []
    return written
