"""Who counts as one of those who ask: service accounts cost nothing, so more of them get no more turns."""

import hashlib

import orjson

from lockstep.api.client.review import Caller

_SERVICE_ACCOUNT = "system:serviceaccount:"


def party_of(caller: Caller) -> str:
    """The user, or for a service account its namespace: a user that may make one there may make thousands."""
    if not caller.name.startswith(_SERVICE_ACCOUNT):
        return caller.name
    return caller.name.rpartition(":")[0]


def digest_of(caller: Caller) -> bytes:
    """A digest of all that the API server knows of a caller: rights may follow from groups, too."""
    return hashlib.sha256(orjson.dumps(caller.user, option=orjson.OPT_SORT_KEYS)).digest()
