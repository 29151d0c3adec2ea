"""Questions about a GangJob that is not there, read from the body of a request and checked."""

import asyncio
from typing import Any

import orjson

from lockstep.tenants.supposing.coarse_plan import GangJobQuestion
from lockstep.tenants.supposing.gangjob_schema import GangJobSchema
from lockstep.tenants.supposing.schema import violation

MOST_BYTES = 2**18
"""The most bytes of a question, which the server reads: more than manifests that people write have."""

_LONGEST_NAME = 253


class QuestionError(Exception):
    """The question makes no sense; the message is a sentence that names the field."""


async def read_question(schema: GangJobSchema, namespace: str, body: bytes) -> GangJobQuestion:
    """The GangJob in the body of a request. Raises ``QuestionError``, or ``NoAnswerNowError``."""
    return await asyncio.to_thread(_question, await schema.newest(), namespace, body)


def _question(schema: Any, namespace: str, body: bytes) -> GangJobQuestion:
    try:
        asked = orjson.loads(body)
        metadata, spec = asked["metadata"], asked["spec"]["gangJobSpec"]
        name = metadata["name"]
    except (orjson.JSONDecodeError, KeyError, TypeError) as error:
        raise QuestionError("A plan has metadata.name and spec.gangJobSpec.") from error
    if not isinstance(name, str) or not name or len(name) > _LONGEST_NAME or "/" in name:
        raise QuestionError("metadata.name is no name of a GangJob.")
    wrong = violation(schema, spec, "spec.gangJobSpec")
    if wrong:
        raise QuestionError(f"{wrong}.")
    return GangJobQuestion(namespace, name, spec)
