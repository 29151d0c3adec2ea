"""When the size of a GangJob may be changed: as long as it holds no nodes and has not ended."""

import pytest

from sandbox import ApiError

REFUSED = (
    "spec: Forbidden: size can be changed only while the gang waits, and this gang holds nodes or has ended; suspend it"
    " first, or create another GangJob instead."
)
WHEN = "2026-11-20T18:00:00Z"
HOLDS = {"reservedAt": WHEN}


def condition(kind, status):
    return {"type": kind, "status": status, "reason": "Because", "message": "", "lastTransitionTime": WHEN}


WAITS = {"attempt": 3, "conditions": [condition("Planned", "True"), condition("Complete", "False")]}
HAS_ENDED = {"conditions": [condition("Complete", "True")]}
HAS_FAILED = {"conditions": [condition("Complete", "False"), condition("Failed", "True")]}
RANGE = {"size": {"min": 2, "max": 4}}
CONTAINERS = {"spec": {"containers": [{"name": "member", "image": "registry.k8s.io/pause:3.10"}]}}


def roles(workers):
    """A launcher and so many workers."""
    sizes = {"launcher": 1, "workers": workers}
    listed = [{"name": name, "size": {"min": n, "max": n}, "template": CONTAINERS} for name, n in sizes.items()]
    return {"size": None, "template": None, "roles": listed}


@pytest.fixture
def change(api, namespace, gang):
    """Creates a GangJob, gives it a status and changes its spec; returns what the server answers to that."""

    def changed(first, status, second):
        collection = f"/apis/lockstep.dev/v1alpha1/namespaces/{namespace}/gangjobs"
        api.request("POST", collection, gang({"spec": first}))
        if status:
            api.request("PATCH", f"{collection}/heat/status", {"status": status})
        return api.request("PATCH", f"{collection}/heat", {"spec": second})["spec"]

    return changed


@pytest.mark.parametrize("status", [pytest.param({}, id="new"), pytest.param(WAITS, id="it waits")])
def test_size_of_a_gang_that_waits_is_changed(change, status):
    assert change(RANGE, status, {"size": {"max": 8}})["size"] == {"min": 2, "max": 8}


@pytest.mark.parametrize("status", [pytest.param({}, id="new"), pytest.param(WAITS, id="it waits")])
def test_size_of_a_role_of_a_gang_that_waits_is_changed(change, status):
    assert change(roles(2), status, roles(3))["roles"][1]["size"] == {"min": 3, "max": 3}


@pytest.mark.parametrize(
    "status",
    [
        pytest.param(HOLDS, id="it holds nodes"),
        pytest.param(HAS_ENDED, id="it has ended"),
        pytest.param(HAS_FAILED, id="it has failed"),
    ],
)
@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param(RANGE, {"size": {"max": 8}}, id="of all members"),
        pytest.param(roles(2), roles(3), id="of a role"),
    ],
)
def test_size_of_any_other_gang_is_not_changed(change, status, first, second):
    with pytest.raises(ApiError) as refused:
        change(first, status, second)

    assert str(refused.value).endswith(f" is invalid: {REFUSED}")


@pytest.mark.parametrize("status", [HOLDS, HAS_ENDED], ids=["it holds nodes", "it has ended"])
@pytest.mark.parametrize("first", [RANGE, roles(2)], ids=["without roles", "with roles"])
def test_anything_else_is_changed_though_the_size_can_not_be(change, status, first):
    assert change(first, status, {"suspend": True})["suspend"] is True


def test_new_size_must_make_sense_with_the_rest(change):
    with pytest.raises(ApiError, match="must not be above"):
        change(RANGE, WAITS, {"size": {"max": 1}})
