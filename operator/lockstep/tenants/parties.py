"""Who counts as one of those who ask: service accounts cost nothing, so more of them get no more turns."""

from lockstep.api.client.review import Caller

_SERVICE_ACCOUNT = "system:serviceaccount:"


def party_of(caller: Caller) -> str:
    """The user, or for a service account its namespace: a user that may make one there may make thousands."""
    if not caller.name.startswith(_SERVICE_ACCOUNT):
        return caller.name
    return caller.name.rpartition(":")[0]
