"""The shapes of answers.

Commands check the shape, so that they show nothing from another server that uses the name of this API.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lockstep.api.cluster.answers_service import ANSWERS_API
from lockstep.api.times import epoch_seconds
from lockstep.tenants.documents import KIND_NAMES, AnswerKind, Document


class _Time:
    """The shape of a time in RFC 3339."""


@dataclass(frozen=True, slots=True)
class _Later:
    """The shape of a field that earlier versions of the answers lack."""

    shape: Any


_TIME = _Time()
_TIME_OR_NONE = (_Time(), None)
_OTHERS = {
    "waiting": int,
    "running": int,
    "members": int,
    "freed": [{"withinMinutes": int, "nodes": int}],
    "lasting": int,
}
_HEAD = {"metadata": {"namespace": str, "name": str}, "now": _TIME, "others": _OTHERS}
_QUEUED = {
    "kind": str,
    "name": str,
    "position": (int, None),
    "size": (int, None),
    "start": _TIME_OR_NONE,
    "latestStart": _TIME_OR_NONE,
}
_ON_NODES = {
    "kind": str,
    "name": str,
    "state": str,
    "size": int,
    "nodes": int,
    "since": _TIME,
    "expectedFinish": _TIME_OR_NONE,
}
_USE_OF_GROUP = _Later((str, None))
_PLAN = {
    "message": str,
    "size": (int, None),
    "ahead": {"gangs": int, "members": int},
    "evicts": int,
    "shrinks": int,
    "sizes": [{"size": int, "start": _TIME_OR_NONE, "finish": _TIME_OR_NONE}],
    "notNow": [str],
    "sooner": [{"if": str, "size": int, "withinMinutes": int}],
}
_EXPLANATION = {
    **_HEAD,
    "phase": str,
    "size": (int, None),
    "start": _TIME_OR_NONE,
    "finish": _TIME_OR_NONE,
    "useOfGroup": _USE_OF_GROUP,
    "plan": (_PLAN, None),
}
_PLACED = {"namespace": str, "name": str, "stage": str, "says": str}
_PICTURE = {
    "gangs": [_PLACED],
    "kinds": [{"speed": (int, float), "rows": [{"nodes": str, "count": int, "bars": [list]}]}],
    "waiting": [{"namespace": str, "name": str, "says": str}],
    "waitingInAll": int,
}
_RUN = {"size": int, "startsWithinMinutes": (int, None), "endsWithinMinutes": (int, None)}
_COARSE_PLAN = {
    "message": str,
    "run": (_RUN, None),
    "sizes": [_RUN],
    "notNow": [str],
    "ahead": {"gangs": int, "members": int},
    "evicts": int,
    "shrinks": int,
    "delays": [{"name": str, "withinMinutes": (int, None)}],
}
_SWEEP_PLAN = {
    "runs": int,
    "message": str,
    "planned": int,
    "startNow": int,
    "startsWithinMinutes": (int, None),
    "endsWithinMinutes": (int, None),
    "ahead": _COARSE_PLAN["ahead"],
    "delays": _COARSE_PLAN["delays"],
}
_SHAPES: Mapping[AnswerKind, Mapping[str, Any]] = {
    AnswerKind.QUEUES: {
        **_HEAD,
        "useOfGroup": _USE_OF_GROUP,
        "running": _Later([_ON_NODES]),
        "runningLeftOut": _Later(int),
        "gangs": [_QUEUED],
        "leftOut": int,
    },
    AnswerKind.GANGJOB_EXPLANATIONS: _EXPLANATION,
    AnswerKind.GANG_EXPLANATIONS: _EXPLANATION,
    AnswerKind.TIMELINES: {**_HEAD, "picture": _PICTURE},
    AnswerKind.HISTORIES: {
        "metadata": {"namespace": str, "name": str},
        "now": _TIME,
        "notes": [str],
        "rows": [dict],
        "isCutOff": bool,
    },
    AnswerKind.PLANS: {**_HEAD, "plan": _COARSE_PLAN},
    AnswerKind.SWEEP_PLANS: {**_HEAD, "plan": _SWEEP_PLAN},
}


def is_answer(kind: AnswerKind, document: Document) -> bool:
    """Whether a document is an answer of that kind, with every field that a command shows. It may have more fields."""
    is_named = document.get("apiVersion") == ANSWERS_API and document.get("kind") == KIND_NAMES[kind]
    return is_named and _has_shape(document, _SHAPES[kind])


def _has_shape(value: Any, shape: Any) -> bool:
    """Whether a value has a shape: a type, None, a mapping or list of shapes, or a tuple of alternatives."""
    if isinstance(shape, dict):
        return isinstance(value, dict) and all(_has_field(value, name, one) for name, one in shape.items())
    if isinstance(shape, list):
        return isinstance(value, list) and all(_has_shape(one, shape[0]) for one in value)
    if isinstance(shape, tuple):
        return any(_has_shape(value, one) for one in shape)
    if isinstance(shape, _Time):
        return isinstance(value, str) and _is_time(value)
    if shape is None:
        return value is None
    return isinstance(value, shape) and isinstance(value, bool) == (shape is bool)


def _has_field(value: Document, name: str, shape: Any) -> bool:
    if isinstance(shape, _Later):
        return name not in value or _has_shape(value[name], shape.shape)
    return name in value and _has_shape(value[name], shape)


def _is_time(text: str) -> bool:
    try:
        return epoch_seconds(text) is not None
    except ValueError:
        return False
