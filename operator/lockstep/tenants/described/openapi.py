"""The OpenAPI document of the API group. The API server requests it and shows it to its clients."""

import hashlib
from collections.abc import Mapping
from functools import cache
from typing import Any

import orjson

from lockstep.api.cluster.answers_service import ANSWERS_API, ANSWERS_GROUP, ANSWERS_VERSION
from lockstep.tenants.described.schemas import schema_of
from lockstep.tenants.documents import KIND_NAMES, AnswerKind, Document, verb_of

OPENAPI = "/openapi/v3"
OPENAPI_OF_GROUP = f"{OPENAPI}/apis/{ANSWERS_API}"


@cache
def openapi_root() -> Document:
    """The address of the group's OpenAPI document. It changes with the document, so clients may cache the document."""
    digest = hashlib.sha256(orjson.dumps(openapi_of_group())).hexdigest()[:32]
    return {"paths": {f"apis/{ANSWERS_API}": {"serverRelativeURL": f"{OPENAPI_OF_GROUP}?hash={digest}"}}}


@cache
def openapi_of_group() -> Document:
    """The OpenAPI document of the group: the paths of its resources, and a schema of each kind."""
    return {
        "openapi": "3.0.0",
        "info": {"title": ANSWERS_GROUP, "version": ANSWERS_VERSION},
        "paths": dict(map(_path, AnswerKind)),
        "components": {"schemas": {_name(kind): {**schema_of(kind), _IS_OF: [_of(kind)]} for kind in AnswerKind}},
    }


_IS_OF = "x-kubernetes-group-version-kind"


def _path(kind: AnswerKind) -> tuple[str, Mapping[str, Any]]:
    """The path of a resource, with its only verb."""
    body = {"content": {"application/json": {"schema": {"$ref": f"#/components/schemas/{_name(kind)}"}}}}
    answer = {"description": "OK", **body}
    about = {"x-kubernetes-action": verb_of(kind), _IS_OF: _of(kind)}
    path = f"/apis/{ANSWERS_API}/namespaces/{{namespace}}/{kind}"
    if verb_of(kind) == "create":
        return path, {**_parameters("namespace"), "post": {"requestBody": body, "responses": {"201": answer}, **about}}
    return f"{path}/{{name}}", {**_parameters("namespace", "name"), "get": {"responses": {"200": answer}, **about}}


def _parameters(*names: str) -> Mapping[str, Any]:
    return {
        "parameters": [{"name": one, "in": "path", "required": True, "schema": {"type": "string"}} for one in names]
    }


def _of(kind: AnswerKind) -> Mapping[str, str]:
    return {"group": ANSWERS_GROUP, "version": ANSWERS_VERSION, "kind": KIND_NAMES[kind]}


def _name(kind: AnswerKind) -> str:
    return f"{'.'.join(reversed(ANSWERS_GROUP.split('.')))}.{ANSWERS_VERSION}.{KIND_NAMES[kind]}"
