"""Reviews: questions to the API server about who somebody is and what they may do. Nothing is created by them."""

from collections.abc import Mapping
from typing import Any, NamedTuple

Manifest = Mapping[str, Any]


class Caller(NamedTuple):
    """Whose token it is, as the API server says: ``user`` has a name, and mostly groups."""

    user: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The name of the user or service account."""
        return str(self.user.get("username", ""))


def token_review(token: str) -> Manifest:
    """Ask whose token that is."""
    return {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview", "spec": {"token": token}}


def reviewed_caller(review: Manifest) -> Caller | None:
    """Whose token it is; None for a token that is good for nobody."""
    status = review["status"]
    return Caller(status["user"]) if status.get("authenticated") else None


def access_review(caller: Caller, *, path: str, verb: str) -> Manifest:
    """Ask whether somebody may do that to a path that is no object of the API."""
    user = caller.user
    return {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SubjectAccessReview",
        "spec": {
            "user": caller.name,
            **{field: user[field] for field in ("uid", "groups", "extra") if field in user},
            "nonResourceAttributes": {"path": path, "verb": verb},
        },
    }


def own_access_review(*, verb: str, group: str, resource: str, subresource: str) -> Manifest:
    """Ask whether we ourselves may do that to objects in all namespaces."""
    return {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "spec": {
            "resourceAttributes": {"verb": verb, "group": group, "resource": resource, "subresource": subresource}
        },
    }


def is_allowed(review: Manifest) -> bool:
    """Whether they may."""
    return bool(review["status"]["allowed"])
