"""``lockstep check``: whether gangs are placed, and why not."""

import os

import pytest

from live.quick_start import finished

CHECKER = "checker"
WAITING = "Waiting until a gang is placed\n"


@pytest.fixture
def check(installed, namespace):
    """The command with the rights that it says it needs, in a namespace that admits only what is restricted."""
    restricted = {"metadata": {"labels": {"pod-security.kubernetes.io/enforce": "restricted"}}}
    installed.request("PATCH", f"/api/v1/namespaces/{namespace}", restricted)
    installed.apply([account(namespace), role(namespace), binding(namespace)])
    kubeconfig = installed.kubeconfig_for_service_account(namespace, CHECKER)

    def run(*options):
        command = ["check", f"--kubeconfig={kubeconfig}", f"--namespace={namespace}", *options]
        return finished(command, os.environ, seconds=300)

    return run


# The operator of this file starts with the first test that asks for it.
def test_without_an_operator_the_gang_is_not_checked(arena, check):
    done = check("--timeout=1s")

    assert done.stderr == f"{WAITING}Error: The gang was not placed within 1 s. No operator has read it.\n"
    assert gangs_in(arena) == []


def test_gang_is_placed_and_leaves_nothing(operator, arena, check):
    arena.add_nodes(1)

    done = check()

    assert (done.returncode, done.stderr) == (0, WAITING)
    assert done.stdout.startswith(f"Lockstep works: a gang in {arena.namespace} was placed after ")
    assert gangs_in(arena) == []


def test_operators_own_sentence_says_why_no_gang_is_placed(operator, arena, check):
    # The first one that is long enough for the operator to say something, however busy the machine is.
    tried = ((seconds, check(f"--timeout={seconds}s")) for seconds in (2, 8, 32, 128))
    seconds, done = next(one for one in tried if "No operator has read it" not in one[1].stderr)

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"{WAITING}Error: The gang was not placed within {seconds} s. It needs 1 member, ")
    assert gangs_in(arena) == []


def test_refusal_of_the_api_server_is_reported(check):
    done = check("--image=")

    assert done.returncode == 1
    assert done.stderr.startswith(f"{WAITING}Error: The API server refuses a GangJob in test-")
    assert "image" in done.stderr


def gangs_in(arena):
    return arena.api.request("GET", arena.gangs)["items"]


def account(namespace):
    return {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": CHECKER, "namespace": namespace}}


def role(namespace):
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "Role",
        "metadata": {"name": CHECKER, "namespace": namespace},
        "rules": [{"apiGroups": ["lockstep.dev"], "resources": ["gangjobs"], "verbs": ["create", "get", "delete"]}],
    }


def binding(namespace):
    return {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "RoleBinding",
        "metadata": {"name": CHECKER, "namespace": namespace},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": CHECKER},
        "subjects": [{"kind": "ServiceAccount", "name": CHECKER, "namespace": namespace}],
    }
