"""Reviews: requests that ask the API server who a caller is and what it may do. They create nothing."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from lockstep.api.manifest import Manifest


class Caller(NamedTuple):
    """The user to whom a token belongs: a name, and usually groups."""

    user: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The name of the user or service account."""
        return str(self.user.get("username", ""))


def token_review(token: str) -> Manifest:
    """A review that asks to whom a token belongs."""
    return {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview", "spec": {"token": token}}


def reviewed_caller(review: Manifest) -> Caller | None:
    """The user to whom the reviewed token belongs; None if the token is invalid."""
    status = review["status"]
    return Caller(status["user"]) if status.get("authenticated") else None


def access_review(caller: Caller, *, path: str, verb: str) -> Manifest:
    """A review that asks whether a caller may use a verb on a path that is not an API object."""
    spec = {**_identity(caller), "nonResourceAttributes": {"path": path, "verb": verb}}
    return {"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "spec": spec}


def object_review(
    caller: Caller, *, group: str, resource: str, namespace: str, name: str = "", verb: str = "get"
) -> Manifest:
    """A review that asks whether a caller may use a verb on an object in a namespace.

    Without a name, it asks about all objects of the kind there.
    """
    attributes = {"verb": verb, "group": group, "resource": resource, "namespace": namespace, "name": name}
    spec = {**_identity(caller), "resourceAttributes": attributes}
    return {"apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview", "spec": spec}


def own_access_review(*, verb: str, group: str, resource: str, subresource: str) -> Manifest:
    """A review that asks whether we may use a verb on objects in all namespaces."""
    return {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "spec": {
            "resourceAttributes": {"verb": verb, "group": group, "resource": resource, "subresource": subresource}
        },
    }


def is_allowed(review: Manifest) -> bool:
    """Whether an answered access review allows the access."""
    return bool(review["status"]["allowed"])


def _identity(caller: Caller) -> dict[str, Any]:
    user = caller.user
    return {"user": caller.name, **{field: user[field] for field in ("uid", "groups", "extra") if field in user}}
