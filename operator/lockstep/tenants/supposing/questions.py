"""Reads and checks questions about a supposed GangJob or GangSweep from the body of a request."""

import asyncio
import re
from typing import Any, NamedTuple

import orjson

from lockstep.api.manifest import Manifest
from lockstep.tenants.supposing.schema import violation
from lockstep.tenants.supposing.spec_schema import SpecSchema

MOST_BYTES = 2**18
"""The server refuses questions with more bytes than this. Manifests that people write are smaller."""

_NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_LONGEST_NAME = 253


class Question(NamedTuple):
    """An object that does not exist in the cluster. The schema accepts its spec."""

    namespace: str
    name: str
    spec: Manifest


class QuestionError(Exception):
    """The question is invalid; the message is a sentence that names the field."""


async def read_question(schema: SpecSchema, field: str, namespace: str, body: bytes) -> Question:
    """The object that the body of a request supposes; its spec is in ``field`` of the body's spec.

    Raises ``QuestionError``, or ``NoAnswerNowError``.
    """
    return await asyncio.to_thread(_question, await schema.newest(), field, namespace, body)


def _question(schema: Any, field: str, namespace: str, body: bytes) -> Question:
    try:
        asked = orjson.loads(body)
        metadata, spec = asked["metadata"], asked["spec"][field]
        name = metadata["name"]
    except (orjson.JSONDecodeError, KeyError, TypeError) as error:
        raise QuestionError(f"A plan needs metadata.name and spec.{field}.") from error
    if not isinstance(name, str) or len(name) > _LONGEST_NAME or not _NAME.fullmatch(name):
        raise QuestionError("metadata.name is not a valid name.")
    wrong = violation(schema, spec, f"spec.{field}")
    if wrong:
        raise QuestionError(f"{wrong}.")
    return Question(namespace, name, spec)
