"""One line in, one line out: the answer is a JSON object, whatever the line contains."""

import json
import math
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from coschedule.model.errors import InvalidValueError
from coschedule.model.reading import parse, refusal
from coschedule.requests.auction import answer_auction
from coschedule.requests.compress import answer_compress
from coschedule.requests.compress_pools import answer_compress_pools
from coschedule.requests.equal import answer_equal
from coschedule.requests.expand import answer_expand
from coschedule.requests.forecast import answer_forecast
from coschedule.requests.gang_pieces import answer_gang_pieces
from coschedule.requests.heterogeneity import answer_heterogeneity
from coschedule.requests.pace import answer_pace
from coschedule.requests.pieces import answer_pieces
from coschedule.requests.proportional import answer_proportional
from coschedule.requests.shares import answer_shares

Problem = Callable[[Mapping[str, Any]], dict[str, Any]]
"""Answers a request; InvalidValueError when the request is invalid."""

PROBLEMS: Mapping[str, Problem] = {
    "equal": answer_equal,
    "proportional": answer_proportional,
    "pieces": answer_pieces,
    "gangPieces": answer_gang_pieces,
    "compress": answer_compress,
    "compressPools": answer_compress_pools,
    "expand": answer_expand,
    "pace": answer_pace,
    "heterogeneity": answer_heterogeneity,
    "forecast": answer_forecast,
    "auction": answer_auction,
    "shares": answer_shares,
}


LONGEST_LINE = 2**25
"""The most bytes of a line; its parsed values take about thirty times as much memory."""

_TOO_MANY_DIGITS = "is answered by a number of more than 4300 digits; ask with decimals instead of rationals"


def answer_line(line: bytes) -> bytes:
    """Return the answer to one request; the request and its answer are lines of JSON.

    The answer repeats the request's ``id``. For an invalid request, such as an empty line, the answer is an error with
    the name of the field, "" for the whole request. Such an answer has the id null if the request has no readable id.
    No line makes this function raise an exception.
    """
    identity: dict[str, Any] = {}
    try:
        request = _request(line)
        identity = _identity(request)
        answer = identity | _answer(request)
    except InvalidValueError as error:
        refused = {"reason": "InvalidRequest", "field": error.field, "message": error.message}
        answer = {"id": None} | identity | {"error": refused}
    return json.dumps(answer, allow_nan=False).encode("ascii") + b"\n"


def _request(line: bytes) -> Mapping[str, Any]:
    if len(line) > LONGEST_LINE:
        raise InvalidValueError("", f"is longer than {LONGEST_LINE} bytes")
    try:
        text = line.decode()
    except UnicodeDecodeError as error:
        raise InvalidValueError("", f"is not UTF-8 at byte {error.start + 1}") from None
    request = parse(text)
    if not isinstance(request, dict):
        raise InvalidValueError("", "must be a JSON object")
    return request


def _identity(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of the request that the answer repeats."""
    if "id" not in request:
        return {}
    identity = request["id"]
    if isinstance(identity, Decimal) and math.isfinite(float(identity)):
        return {"id": float(identity)}
    if isinstance(identity, str | int) or identity is None:
        return {"id": identity}
    raise refusal(identity, "id", "must be a string, a number, true, false or null")


def _answer(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer to the problem of the request, without the id."""
    answer_problem = _problem(request)
    try:
        return answer_problem(request)
    except ValueError as error:
        # Python refuses to format an int of more than 4300 digits, in a number or in a sentence of the answer.
        if "int_max_str_digits" in str(error):
            raise InvalidValueError("", _TOO_MANY_DIGITS) from None
        raise


def _problem(request: Mapping[str, Any]) -> Problem:
    if "problem" not in request:
        raise InvalidValueError("problem", "is required")
    name = request["problem"]
    if not isinstance(name, str) or name not in PROBLEMS:
        raise refusal(name, "problem", f"must be one of {', '.join(PROBLEMS)}")
    return PROBLEMS[name]
