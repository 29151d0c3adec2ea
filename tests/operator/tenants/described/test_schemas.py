"""Every field that an answer has is described, with its type."""

import orjson
import pytest
from aiohttp import ClientSession

from lockstep.api.client.review import Caller
from lockstep.tenants.commands import document_shapes
from lockstep.tenants.described.openapi import OPENAPI, OPENAPI_OF_GROUP, openapi_of_group
from lockstep.tenants.described.schemas import schema_of
from lockstep.tenants.documents import AnswerKind
from lockstep.tenants.requests import AskedOf, TenantRequests
from served_routes import served_routes


def fields_of(schema, path=""):
    """The paths of all fields of a schema."""
    for name, field in (schema.get("properties") or {}).items():
        yield f"{path}.{name}"
        yield from fields_of(field, f"{path}.{name}")
    if "items" in schema:
        yield from fields_of(schema["items"], path)


def fields_shown(shape, path=""):
    """The paths of all fields that commands show."""
    if isinstance(shape, document_shapes._Later):
        shape = shape.shape
    if isinstance(shape, dict):
        for name, one in shape.items():
            yield f"{path}.{name}"
            yield from fields_shown(one, f"{path}.{name}")
    for one in shape if isinstance(shape, list | tuple) else ():
        yield from fields_shown(one, path)


def undescribed(schema, path=""):
    if not schema.get("description"):
        yield path
    for name, field in (schema.get("properties") or {}).items():
        yield from undescribed(field, f"{path}.{name}")
    if "items" in schema:
        yield from undescribed(schema["items"], f"{path}[]")


@pytest.mark.parametrize("kind", AnswerKind)
def test_every_field_that_commands_show_is_described(kind):
    described = {*fields_of(schema_of(kind))}
    # The page of the timeline and lockstep history read what is in these.
    inner = (".picture.", ".rows.")

    shown = {one for one in fields_shown(document_shapes._SHAPES[kind]) if not one.startswith(inner)}

    assert shown - described == set()
    assert [*undescribed(schema_of(kind))] == []


@pytest.mark.asyncio
async def test_document_is_for_those_whom_the_api_server_names():
    callers = {"system:aggregator": Caller({"username": "system:aggregator"})}

    class Front:
        def caller(self, names, headers):
            return callers.get(dict(headers).get("X-Remote-User"))

    requests = TenantRequests(Front(), AskedOf(None, None, None, None, None), lambda: 0.0)
    async with served_routes(requests.routes()) as port, ClientSession(f"http://127.0.0.1:{port}") as session:
        unknown = await session.get(OPENAPI_OF_GROUP)
        session.headers["X-Remote-User"] = "system:aggregator"
        root = orjson.loads(await (await session.get(OPENAPI)).read())
        [place] = root["paths"].values()
        document = orjson.loads(await (await session.get(place["serverRelativeURL"])).read())

    assert unknown.status == 401
    assert document == openapi_of_group()
