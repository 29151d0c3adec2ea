"""Decides who counts as one party. Service accounts cost nothing, so more of them must not get more turns."""

import hashlib

import orjson

from lockstep.api.client.review import Caller

_SERVICE_ACCOUNT = "system:serviceaccount:"


def party_of(caller: Caller) -> str:
    """The name of the user, or for a service account its namespace.

    A user who may create one service account in a namespace may create thousands.
    """
    if not caller.name.startswith(_SERVICE_ACCOUNT):
        return caller.name
    return caller.name.rpartition(":")[0]


def digest_of(caller: Caller) -> bytes:
    """A digest of all that the API server knows about a caller, since rights may also depend on groups."""
    return hashlib.sha256(orjson.dumps(caller.user, option=orjson.OPT_SORT_KEYS)).digest()
