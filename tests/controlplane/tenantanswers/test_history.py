"""The record of a namespace, asked for through a real API server: by an editor, a viewer, and for what is of others."""

import csv
import io
import json
from time import time

import pytest
from click.testing import CliRunner

from builders.records import ended
from live.tenant_answers import SECRET_GANG, SECRET_NAMESPACE, asked, kubeconfig_of, refusal
from lockstep.cli import main
from lockstep.recorder.database import RecordDatabase, Retention

HISTORY = "histories/default"


@pytest.fixture(scope="module")
def recorded(arena, recorder):
    """A record of gangs of both namespaces, and of an earlier namespace that was called as the tenant's is."""
    now = round(time())
    retention = Retention(records=1e12, users=1e12, most_bytes=2**30)
    database = RecordDatabase.open(recorder.database, retention, now)
    held = {"began": now - 1, "created": now - 1}
    database.take_in(
        [
            ended("history-own", now, **held, namespace="tenant", name="done", user="ada"),
            ended("history-pods", now, **held, namespace="tenant", name="pods", kind="Gang"),
            ended("history-before", 2000, created=900, namespace="tenant", name="before", user="eve"),
            ended("history-secret", now, **held, namespace=SECRET_NAMESPACE, name=SECRET_GANG, user="okapi-user"),
        ],
        now,
    )
    database.close()
    return arena


@pytest.mark.parametrize("user", ["editor", "viewer"])
@pytest.mark.parametrize("query", ["", "?by=user", "?losses=true", "?since=1970-01-01T00:00:00Z"])
def test_tenant_reads_the_record_of_the_own_namespace_alone(recorded, user, query, request):
    answer = asked(recorded, request.getfixturevalue(user), f"tenant/{HISTORY}{query}")

    assert answer["kind"] == "History"
    assert [name for name in ("zebra", "okapi", "eve", "before") if name in json.dumps(answer)] == []
    if not query:
        assert {("done", "ada"), ("pods", "")} <= {(row["name"], row["user"]) for row in answer["rows"]}
    if query == "?by=user":
        assert {"ada", "(unknown)"} <= {row["user"] for row in answer["rows"]}


def test_record_of_another_namespace_is_refused(recorded, editor):
    assert "Forbidden" in refusal(recorded, editor, f"{SECRET_NAMESPACE}/{HISTORY}")


def test_account_that_may_use_the_group_alone_reads_no_record(recorded):
    """RBAC lets it through: the server asks for the right to the gangs themselves."""
    kubeconfig, where = kubeconfig_of(recorded.api, "tenant", "reader", ""), "--namespace=tenant"
    recorded.api.kubectl("create", "role", "reader", "--verb=get", "--resource=histories.answers.lockstep.dev", where)
    recorded.api.kubectl("create", "rolebinding", "reader", "--role=reader", "--serviceaccount=tenant:reader", where)

    assert "may not get gangjobs of namespace tenant" in refusal(recorded, kubeconfig, f"tenant/{HISTORY}")


def test_command_of_a_viewer_shows_the_record_of_the_namespace_and_says_whence(recorded, viewer):
    arguments = ["history", f"--kubeconfig={viewer}", "--namespace=tenant", "--output=csv"]

    done = CliRunner().invoke(main, arguments)

    assert done.exit_code == 0, done.output
    assert {("done", "ada")} <= {(row["name"], row["user"]) for row in csv.DictReader(io.StringIO(done.stdout))}
    assert "The cluster's API for tenants shows what is on record" in " ".join(done.stderr.split())
