"""What the tests of a file leave on a control plane that other files share: it is deleted, or the file fails."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from http import HTTPStatus
from typing import Any

import pytest

from eventually import eventually
from live.arena import GANGS
from live.definitions import DEFINITIONS, definitions_that_end
from sandbox import ApiError, Sandbox

SECONDS = 120.0
# What else is in a namespace concerns no gang elsewhere. Namespaces stay: to delete one costs as much as twenty pods.
_FOLDERS = (
    *(f"/apis/apps/v1/{owners}" for owners in ("deployments", "statefulsets", "daemonsets", "replicasets")),
    *("/apis/batch/v1/jobs", "/api/v1/pods", "/api/v1/persistentvolumeclaims", "/api/v1/persistentvolumes"),
    *("/apis/storage.k8s.io/v1/storageclasses", "/apis/scheduling.k8s.io/v1/priorityclasses"),
    *(
        f"/apis/admissionregistration.k8s.io/v1/{kind}admission{objects}"
        for kind in ("validating", "mutating")
        for objects in ("policybindings", "policies")
    ),
    "/api/v1/nodes",
)
# Names begin so of what Kubernetes has itself, and of what fixtures of the session install.
_KEPT = ("system-", "lockstep-")
# What operators keep beside their lease outlives them: commands in later files would plan by the last options.
_KEPT_BY_OPERATORS = "/api/v1/namespaces/lockstep-system/configmaps"
_OPTIONS = "gracePeriodSeconds=0&propagationPolicy=Background"
_SHARED = pytest.StashKey[list["Leftovers"]]()


class Leftovers:
    """What is on a control plane, but for what was there when files began to share it."""

    def __init__(self, api: Sandbox) -> None:
        self._api = api
        self._first = {*self._paths()}
        self._first_groups = self._groups()

    def delete(self, file: str, *, seconds: float = SECONDS) -> None:
        """Delete all of it until nothing is left: some of it is made again by an owner that goes later."""
        self._delete_what_operators_keep()

        def is_empty() -> bool:
            left = [*self._delete_groups(), *self._delete_once()]
            assert not left, f"{file} leaves on the control plane {self._api.name}: {', '.join(left)}"
            return True

        eventually(is_empty, seconds=seconds)

    def _delete_what_operators_keep(self) -> None:
        for metadata in self._listed(_KEPT_BY_OPERATORS):
            if metadata["name"].startswith("lockstep-"):
                with suppress(ApiError):
                    self._api.request("DELETE", f"{_KEPT_BY_OPERATORS}/{metadata['name']}")

    def _delete_once(self) -> list[str]:
        left = [path for path in self._paths() if path not in self._first]
        for path in left:
            # It may have come to its end meanwhile.
            with suppress(ApiError):
                self._api.request("DELETE", f"{path}?{_OPTIONS}")
        return left

    def _delete_groups(self) -> list[str]:
        """Delete the definitions of kinds of other projects, with all objects of theirs."""
        if not (groups := self._groups() - self._first_groups):
            return []
        with definitions_that_end(self._api):
            for one in self._api.request("GET", DEFINITIONS)["items"]:
                if one["spec"]["group"] in groups:
                    self._api.request("DELETE", f"{DEFINITIONS}/{one['metadata']['name']}")
            with suppress(AssertionError):
                eventually(lambda: not groups & self._groups())
        return sorted(groups & self._groups())

    def _groups(self) -> set[str]:
        """The groups of other projects that the API server knows."""
        return {one["name"] for one in self._api.request("GET", "/apis")["groups"]} - {GANGS.split("/")[2]}

    def _paths(self) -> Iterator[str]:
        """Where everything is that is there now."""
        for folder in (*self._folders_of_ours(), *_FOLDERS):
            root, _, resource = folder.rpartition("/")
            for metadata in self._listed(folder):
                if not metadata["name"].startswith(_KEPT):
                    within = f"namespaces/{metadata['namespace']}/" if "namespace" in metadata else ""
                    yield f"{root}/{within}{resource}/{metadata['name']}"

    def _folders_of_ours(self) -> list[str]:
        """Where objects of our kinds are, sweeps first, which would make the gangs of their runs again."""
        with suppress(ApiError):
            names = {one["name"] for one in self._api.request("GET", GANGS)["resources"]}
            kinds = {name for name in names if "/" not in name}
            return [f"{GANGS}/{kind}" for kind in sorted(kinds, key=lambda kind: (kind != "gangsweeps", kind))]
        return []

    def _listed(self, folder: str) -> list[dict[str, Any]]:
        """The metadata of all objects there; none where the kind is unknown by now."""
        found: list[dict[str, Any]] = []

        def is_answered() -> bool:
            try:
                found[:] = (one["metadata"] for one in self._api.request("GET", folder)["items"])
            except ApiError as error:
                # A kind that has just changed is served a moment later.
                if error.status not in (HTTPStatus.NOT_FOUND, HTTPStatus.TOO_MANY_REQUESTS):
                    raise
                return error.status == HTTPStatus.NOT_FOUND
            return True

        eventually(is_answered)
        return found


@contextmanager
def shared_by_files(config: pytest.Config, started: AbstractContextManager[Sandbox]) -> Iterator[Sandbox]:
    """Have no file leave anything on a control plane, which ends with the block."""
    with started as api:
        shared = config.stash.setdefault(_SHARED, [])
        shared.append(leftovers := Leftovers(api))
        try:
            yield api
        finally:
            shared.remove(leftovers)


def delete_leftovers(config: pytest.Config, file: str) -> None:
    """Delete what a file has left on the control planes that are shared now."""
    for leftovers in config.stash.get(_SHARED, []):
        leftovers.delete(file)
