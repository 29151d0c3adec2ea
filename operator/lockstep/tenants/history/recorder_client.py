"""Sends questions to the recorder. On the connection, both sides show certificates of the same authority."""

import asyncio
from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Any, NamedTuple

from lockstep.answers.reading.cluster import one_client
from lockstep.api.client.answer import Answer, ApiUnavailableError, Target
from lockstep.api.client.configuration import ConfigError, Configuration
from lockstep.api.records.history_params import HISTORY_PATH, history_params, scope_params
from lockstep.facts.records.history_question import HistoryQuestion, HistoryScope
from lockstep.tenants.trouble import NoAnswerNowError, Trouble

_HISTORY = Target(HISTORY_PATH, "history")
# This is longer than the recorder needs for an answer and for the answer before it.
_PATIENCE_SECONDS = 15.0
_MOST_BYTES = 2**21


class HistoryRefusedError(Exception):
    """The recorder refuses the question; the message is a sentence."""


class RecorderPlace(NamedTuple):
    """The address of the recorder, and the folder with ``tls.crt``, ``tls.key`` and ``ca.crt``."""

    host: str
    port: int
    certificates: Path


class FoundHistory(NamedTuple):
    """The records that the recorder has found at ``now``, in seconds since 1970."""

    now: float
    rows: list[Mapping[str, Any]]
    notes: list[str]
    is_cut_off: bool


async def ask_recorder(place: RecorderPlace, asked: HistoryQuestion, scope: HistoryScope) -> FoundHistory:
    """The records of a namespace that are asked for. Raises ``NoAnswerNowError`` and ``HistoryRefusedError``."""
    params = {**history_params(asked), **scope_params(scope)}
    try:
        # The certificate may be renewed, so each question reads the files again.
        async with asyncio.timeout(_PATIENCE_SECONDS), one_client(_configuration(place)) as client:
            answer = await client.get(_HISTORY, params, most_bytes=_MOST_BYTES)
    except (TimeoutError, ApiUnavailableError, ConfigError) as error:
        raise NoAnswerNowError(Trouble.RECORD_UNREAD, str(error) or type(error).__name__) from error
    return _found(answer)


def _found(answer: Answer) -> FoundHistory:
    if answer.code == HTTPStatus.UNPROCESSABLE_ENTITY:
        raise HistoryRefusedError(answer.message)
    if not answer.is_success or answer.is_cut_off:
        raise NoAnswerNowError(Trouble.RECORD_UNREAD, answer.message)
    body = answer.body
    return FoundHistory(body["now"], body["rows"], body["notes"], body["isCutOff"])


def _configuration(place: RecorderPlace) -> Configuration:
    configuration = Configuration()
    configuration.source = "the recorder"
    configuration.host = f"https://{place.host}:{place.port}"
    for field, file in (("ssl_ca_cert", "ca.crt"), ("cert_file", "tls.crt"), ("key_file", "tls.key")):
        setattr(configuration, field, str(place.certificates / file))
    return configuration
