"""A user who loses a right is answered no more, though the plan and the answers are kept."""

import pytest

from eventually import eventually
from live.tenant_answers import asked, kubeconfig_of
from sandbox import KubectlError

RESOURCES = {
    "answers": "queues.answers.lockstep.dev,gangjobexplanations.answers.lockstep.dev,timelines.answers.lockstep.dev",
    "gangs": "gangjobs.lockstep.dev",
}
PATHS = ("queues/default", "gangjobexplanations/mine", "timelines/default")


@pytest.fixture(scope="module")
def leaving(arena):
    """A user with two roles: one for answers, and one for gangs."""
    kubeconfig = kubeconfig_of(arena.api, "tenant", "leaving", "")
    for name, resources in RESOURCES.items():
        where = "--namespace=tenant"
        arena.api.kubectl("create", "role", f"leaving-{name}", "--verb=get", f"--resource={resources}", where)
        bind(arena, name)
    return kubeconfig


def bind(arena, name):
    binding = ("create", "rolebinding", f"leaving-{name}", f"--role=leaving-{name}", "--serviceaccount=tenant:leaving")
    arena.api.kubectl(*binding, "--namespace=tenant")


@pytest.fixture(params=RESOURCES)
def lost(arena, request):
    """The name of the role that the user loses."""
    yield request.param
    bind(arena, request.param)


def test_right_that_is_lost_between_two_questions_ends_all_answers(arena, leaving, lost):
    eventually(lambda: is_answered(arena, leaving), every=1)

    arena.api.kubectl("delete", "rolebinding", f"leaving-{lost}", "--namespace=tenant")

    want = {"answers": "cannot get resource", "gangs": "may not get gangjobs of namespace tenant"}[lost]
    for path in PATHS:
        eventually(lambda one=path: want in refused(arena, leaving, one), every=1)


def is_answered(arena, kubeconfig):
    return not any(refused(arena, kubeconfig, path) for path in PATHS)


def refused(arena, kubeconfig, path):
    """The sentence of a refusal; '' for an answer."""
    try:
        asked(arena, kubeconfig, f"tenant/{path}")
    except KubectlError as error:
        return str(error)
    return ""
