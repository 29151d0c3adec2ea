"""The CRDs on the control plane, and what the API server says to a manifest."""

import copy
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from eventually import eventually
from live.schemas import own_schemas
from sandbox import ApiError, Sandbox

Manifest = dict[str, Any]

CRDS = Path(__file__).parents[3] / "crds"
DRY_RUN = "dryRun=All&fieldValidation=Strict"
LEAST_GANG: Manifest = {
    "apiVersion": "lockstep.dev/v1alpha1",
    "kind": "GangJob",
    "metadata": {"name": "heat"},
    "spec": {
        "size": {"min": 2, "max": 16},
        "template": {"spec": {"containers": [{"name": "member", "image": "registry.k8s.io/pause:3.10"}]}},
    },
}
LEAST_POD_GANG: Manifest = {
    "apiVersion": "lockstep.dev/v1alpha1",
    "kind": "Gang",
    "metadata": {"name": "heat"},
    "spec": {"size": {"min": 4}},
}
LEAST_BID: Manifest = {
    "apiVersion": "lockstep.dev/v1alpha1",
    "kind": "NodeBid",
    "metadata": {"name": "n01"},
    "spec": {},
}


@pytest.fixture(scope="session")
def api(control_plane: Sandbox) -> Sandbox:
    """The control plane, with the CRDs served and their schemas published."""
    control_plane.apply(CRDS)
    eventually(lambda: {"gangjobs", "gangs", "gangsweeps", "nodebids"} <= served(control_plane))
    own_schemas(control_plane)
    return control_plane


@pytest.fixture
def namespace(api: Sandbox, namespace: str) -> Iterator[str]:
    """A namespace without gangs afterwards: its deletion takes a while, and no operator should find them."""
    yield namespace
    for kind in ("gangjobs", "gangs"):
        api.request("DELETE", f"/apis/lockstep.dev/v1alpha1/namespaces/{namespace}/{kind}")


@pytest.fixture
def gang() -> Callable[..., Manifest]:
    """Makes the least GangJob with a merge patch over it."""
    return lambda patch=None: with_patch(LEAST_GANG, patch or {})


@pytest.fixture
def answer_to_gang(api: Sandbox, gang) -> Callable[[Manifest], str]:
    """Says why the API server refuses the least GangJob with a merge patch over it; nothing when it accepts it."""
    path = f"/apis/lockstep.dev/v1alpha1/namespaces/default/gangjobs?{DRY_RUN}"
    return lambda patch: refusal(api, path, gang(patch))


@pytest.fixture
def pod_gang() -> Callable[..., Manifest]:
    """Makes the least Gang with a merge patch over it."""
    return lambda patch=None: with_patch(LEAST_POD_GANG, patch or {})


@pytest.fixture
def answer_to_pod_gang(api: Sandbox, pod_gang) -> Callable[[Manifest], str]:
    """Says why the API server refuses the least Gang with a merge patch over it; nothing when it accepts it."""
    path = f"/apis/lockstep.dev/v1alpha1/namespaces/default/gangs?{DRY_RUN}"
    return lambda patch: refusal(api, path, pod_gang(patch))


@pytest.fixture
def answer_to_bid(api: Sandbox) -> Callable[[Manifest], str]:
    """Says why the API server refuses a NodeBid with that spec; nothing when it accepts it."""
    path = f"/apis/lockstep.dev/v1alpha1/nodebids?{DRY_RUN}"
    return lambda spec: refusal(api, path, with_patch(LEAST_BID, {"spec": spec}))


def served(api: Sandbox) -> set[str]:
    """The names of what our group serves by now."""
    with suppress(ApiError):
        return {one["name"] for one in api.request("GET", "/apis/lockstep.dev/v1alpha1")["resources"]}
    return set()


def refusal(api: Sandbox, path: str, manifest: Manifest) -> str:
    """What follows "is invalid: " in the answer to a POST; nothing when it succeeds."""
    try:
        api.request("POST", path, manifest)
    except ApiError as error:
        _, _, reason = str(error).partition(" is invalid: ")
        return reason or str(error)
    return ""


def with_patch(target: Manifest, patch: Manifest) -> Manifest:
    """A copy of the target with the patch over it (RFC 7386: None removes)."""
    result = copy.deepcopy(target)
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        elif isinstance(value, dict):
            result[key] = with_patch(result.get(key) or {}, value)
        else:
            result[key] = value
    return result
