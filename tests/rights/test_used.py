"""The check of a run's audit logs: what it counts, and what it fails for."""

import json
from types import SimpleNamespace

import pytest

from rights import of_run
from rights.granted import Right, operators_rights
from rights.used import OPERATOR, Request, covers, request_of, unused, use_in

EVERYWHERE = Right("list", "pods")
BOUND = Right("create", "pods/binding")
LEASE = Right("update", "coordination.k8s.io/leases", "lockstep-system", ("lockstep",))


def event(verb="list", *, allowed=True, user=OPERATOR, number=1, uri="/x", **about):
    """Describe one line of an audit log; without ``resource`` the request is about none."""
    return {
        "auditID": f"id-{number}",
        "verb": verb,
        "user": {"username": user},
        "requestURI": uri,
        **({"objectRef": about} if about else {}),
        "annotations": {"authorization.k8s.io/decision": "allow" if allowed else "forbid"},
    }


@pytest.fixture
def logs(tmp_path):
    """A folder of audit logs, and a way to write one."""

    def write(*events, name="one", rest=""):
        lines = [json.dumps(one) + "\n" for one in events]
        (tmp_path / f"{name}.jsonl").write_text("".join(lines) + rest, encoding="utf-8")
        return tmp_path

    return write


def used(folder, *rights):
    return use_in(folder, rights)


def test_rights_are_read_from_the_manifests():
    rights = operators_rights()

    assert Right("create", "pods/binding") in rights
    assert LEASE in rights
    assert {
        (one.verb, one.resource.removeprefix("lockstep.dev/"))
        for one in rights
        if "/gangs" in one.resource and "sweeps" not in one.resource
    } == {
        *((verb, "gangs") for verb in ("get", "list", "watch", "create", "patch")),
        ("patch", "gangs/status"),
    }
    assert Right("patch", "lockstep.dev/gangsweeps/status") in rights
    # Roles for users are no role of the operator's.
    assert {one.verb for one in rights if one.resource == "lockstep.dev/gangjobs"} == {
        *("get", "list", "watch", "delete", "create")
    }


@pytest.mark.parametrize(
    ("about", "want"),
    [
        pytest.param({"resource": "pods", "namespace": "n", "name": "p"}, Request("list", "pods", "n", "p"), id="core"),
        pytest.param(
            {"resource": "pods", "subresource": "binding"}, Request("list", "pods/binding"), id="part of an object"
        ),
        pytest.param(
            {"resource": "leases", "apiGroup": "coordination.k8s.io"},
            Request("list", "coordination.k8s.io/leases"),
            id="group",
        ),
        pytest.param({}, Request("list", "/apis"), id="no resource"),
    ],
)
def test_event_is_about(about, want):
    assert request_of(event(uri="/apis?timeout=1s", **about)) == want


@pytest.mark.parametrize(
    ("request_", "want"),
    [
        pytest.param(Request("update", LEASE.resource, "lockstep-system", "lockstep"), True, id="that object"),
        pytest.param(Request("update", LEASE.resource, "lockstep-system", "other"), False, id="another name"),
        pytest.param(Request("update", LEASE.resource, "default", "lockstep"), False, id="another namespace"),
        pytest.param(Request("delete", LEASE.resource, "lockstep-system", "lockstep"), False, id="another verb"),
    ],
)
def test_right_covers(request_, want):
    assert covers(LEASE, request_) is want


def test_requests_are_counted_once_over_all_logs(logs):
    logs(event(resource="pods"), event(resource="pods"), event(resource="pods", number=2))
    folder = logs(event(resource="pods", number=3), event(resource="pods", user="somebody", number=4), name="two")

    assert used(folder, EVERYWHERE).allowed == {("list", "pods"): 3}


def test_line_that_was_cut_off_is_left_out(logs):
    folder = logs(event(resource="pods"), rest=json.dumps(event(resource="nodes", number=2))[:-3])

    assert used(folder, EVERYWHERE).allowed == {("list", "pods"): 1}


def test_refusal_of_what_no_right_covers_is_a_fault(logs):
    folder = logs(
        event(allowed=False, resource="secrets", namespace="n"), event(allowed=False, resource="pods", number=2)
    )

    use = used(folder, EVERYWHERE)

    assert use.forbidden == {Request("list", "secrets", "n"): 1}
    assert use.too_early == {("list", "pods"): 1}


def test_refusal_of_what_everybody_may_do_came_too_early(logs):
    about = {"apiGroup": "authorization.k8s.io", "resource": "selfsubjectaccessreviews"}

    use = used(logs(event("create", allowed=False, **about)), EVERYWHERE)

    assert use.forbidden == {}
    assert use.too_early == {("create", "authorization.k8s.io/selfsubjectaccessreviews"): 1}


def test_right_that_was_only_refused_is_unused(logs):
    folder = logs(event(resource="pods"), event("create", allowed=False, resource="pods", subresource="binding"))

    assert unused(used(folder, EVERYWHERE, BOUND), [EVERYWHERE, BOUND]) == [("create", "pods/binding")]


@pytest.mark.parametrize(
    ("is_whole", "status", "want"),
    [
        pytest.param(True, pytest.ExitCode.OK, ["granted, but never used: create pods/binding"], id="a whole run"),
        pytest.param(False, pytest.ExitCode.OK, [], id="some tests"),
        pytest.param(True, pytest.ExitCode.TESTS_FAILED, [], id="a run that failed"),
    ],
)
def test_run_fails_for_rights_that_a_whole_run_did_not_use(logs, monkeypatch, is_whole, status, want):
    monkeypatch.setattr(of_run, "operators_rights", lambda: [EVERYWHERE, BOUND])
    monkeypatch.setattr(of_run, "is_whole", lambda _: is_whole)

    assert finish(logs(event(resource="pods")), status) == (want, pytest.ExitCode.TESTS_FAILED if want else status)


def test_any_run_fails_for_what_was_forbidden(logs, monkeypatch):
    monkeypatch.setattr(of_run, "is_whole", lambda _: False)
    folder = logs(event(allowed=False, resource="secrets", namespace="n"))

    assert finish(folder, pytest.ExitCode.OK) == (
        ["forbidden, 1 times: list secrets n"],
        pytest.ExitCode.TESTS_FAILED,
    )


def finish(folder, status):
    """End a run with these logs; gives what it says and how it ends."""
    run = of_run.RightsOfRun(folder)
    session = SimpleNamespace(config=None, exitstatus=status)
    run.pytest_sessionfinish(session)
    return run._problems, session.exitstatus
