"""A question about records as the query of a URL.

Tenants send the question to the server of answers, which sends it to the recorder.
"""

from collections.abc import Mapping

from lockstep.api.times import epoch_seconds, rfc3339
from lockstep.facts.records.history_question import HistoryQuestion, HistoryScope, SumBy

MOST_ROWS = 1000
"""The most rows of an answer, and the largest limit of a question."""

HISTORY_PATH = "/history"
"""The path at which the recorder answers."""

_USUAL_SECONDS = 30 * 86_400
_USUAL_ROWS = 100
_LONGEST_TEXT = 256
_TEXTS = ("user", "sweep", "name")
_FIELDS = frozenset({"since", "until", "by", "losses", "limit", *_TEXTS})
_OF_SCOPE = frozenset({"namespace", "made", "podGangs"})
# Clients of the API server, such as kubectl with --request-timeout, may add these parameters to any request.
_OF_EVERY_REQUEST = frozenset({"timeout", "pretty"})


class HistoryQuestionError(ValueError):
    """The question is invalid; the message is a clause that names the field."""


def history_params(asked: HistoryQuestion) -> dict[str, str]:
    """Format a question as a query."""
    texts = {name: getattr(asked, name) for name in _TEXTS}
    given = {"by": "" if asked.by is None else asked.by.value, "losses": "true" if asked.losses else "", **texts}
    period = {"since": rfc3339(asked.since), "until": rfc3339(asked.until)}
    return {**period, "limit": str(asked.limit), **{name: value for name, value in given.items() if value}}


def scope_params(scope: HistoryScope) -> dict[str, str]:
    """Format the scope, the part of the query that no tenant may write."""
    return {
        "namespace": scope.namespace,
        "made": rfc3339(scope.made),
        "podGangs": "true" if scope.with_pod_gangs else "false",
    }


def parse_history(params: Mapping[str, str], now: float) -> HistoryQuestion:
    """Parse the question in a tenant's query.

    The default period is the last 30 days. Raises ``HistoryQuestionError``.
    """
    unknown = sorted(params.keys() - _FIELDS - _OF_EVERY_REQUEST)
    if unknown:
        raise HistoryQuestionError(f"a query of the history has no parameter {unknown[0][:_LONGEST_TEXT]}")
    until = _time(params, "until", now)
    by, losses = _sum_by(params.get("by", "")), _flag(params, "losses")
    if by is not None and losses:
        raise HistoryQuestionError("use only one of by and losses")
    return HistoryQuestion(
        since=_time(params, "since", until - _USUAL_SECONDS),
        until=until,
        by=by,
        losses=losses,
        limit=_limit(params.get("limit", str(_USUAL_ROWS))),
        **{name: _text(params, name) for name in _TEXTS},
    )


def parse_scoped(params: Mapping[str, str], now: float) -> tuple[HistoryQuestion, HistoryScope]:
    """Parse the question and its scope. Raises ``HistoryQuestionError``."""
    missing = sorted(_OF_SCOPE - params.keys())
    if missing or not params["namespace"]:
        raise HistoryQuestionError(f"the query has no {missing[0] if missing else 'namespace'}")
    asked = {name: value for name, value in params.items() if name not in _OF_SCOPE}
    scope = HistoryScope(
        namespace=params["namespace"], made=_time(params, "made", now), with_pod_gangs=_flag(params, "podGangs")
    )
    return parse_history(asked, now), scope


def _time(params: Mapping[str, str], field: str, usual: float) -> int:
    try:
        seconds = epoch_seconds(params.get(field))
    except ValueError as error:
        raise HistoryQuestionError(f"{field} is not a time such as 2026-11-01T00:00:00Z") from error
    return round(usual if seconds is None else seconds)


def _text(params: Mapping[str, str], field: str) -> str:
    text = params.get(field, "")
    if len(text) > _LONGEST_TEXT:
        raise HistoryQuestionError(f"{field} has {len(text)} characters, and may have at most {_LONGEST_TEXT}")
    return text


def _sum_by(text: str) -> SumBy | None:
    if not text:
        return None
    try:
        return SumBy(text)
    except ValueError as error:
        raise HistoryQuestionError(f"by is none of {', '.join(SumBy)}") from error


def _flag(params: Mapping[str, str], field: str) -> bool:
    text = params.get(field, "false")
    if text not in ("true", "false"):
        raise HistoryQuestionError(f"{field} is neither true nor false")
    return text == "true"


def _limit(text: str) -> int:
    limit = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0
    if not 1 <= limit <= MOST_ROWS:
        raise HistoryQuestionError(f"limit is not from 1 to {MOST_ROWS}")
    return limit
