"""Which namespace of a name a caller knows, and whether it is the one that is there."""

import pytest

from lockstep.api.client.answer import Answer
from lockstep.api.client.review import Caller
from lockstep.tenants.namespaces import NoNamespaceError, OwnNamespace, OwnNamespaces, read_uids
from lockstep.tenants.trouble import NoAnswerNowError

pytestmark = pytest.mark.asyncio

JANE, JOE = (Caller({"username": name}) for name in ("jane", "joe"))


class Listing:
    """An API server with the namespace ``tenant`` of this UID, or without one; it may ``refuse``."""

    def __init__(self, uid):
        self.uid, self.refuses = uid, False

    async def get(self, target, params, **_):
        if self.refuses:
            return Answer(403, {"message": "no"})
        metadata = {"name": "tenant", "uid": self.uid, "creationTimestamp": "1970-01-01T01:00:00Z"}
        return Answer(200, {"metadata": {}, "items": [{"metadata": metadata}] if self.uid else []})


async def test_next_owner_of_a_name_learns_at_once_that_the_namespace_is_another_one():
    api = Listing("first")
    namespaces = OwnNamespaces(api, lambda: 0.0)
    assert await namespaces.of(JANE, "tenant") == OwnNamespace("tenant", "first", 3600)
    api.uid = "second"

    assert (await namespaces.of(JOE, "tenant")).uid == "second"
    assert (await namespaces.of(JANE, "tenant")).uid == "first"


async def test_namespace_that_is_gone_is_an_error():
    with pytest.raises(NoNamespaceError, match="There is no namespace tenant now"):
        await OwnNamespaces(Listing(""), lambda: 0.0).of(JANE, "tenant")


async def test_uids_are_those_of_all_namespaces_or_an_error():
    api = Listing("first")
    assert await read_uids(api) == {"tenant": "first"}
    api.refuses = True

    with pytest.raises(NoAnswerNowError):
        await read_uids(api)
