"""Encodes snapshots and plans as JSON values and decodes them, so that any decision can be replayed.

The JSON mirrors the types: a dataclass or a named tuple becomes an object with the same field names. A tuple, an array
or a set becomes a list. An infinity becomes the string "Infinity" or "-Infinity", and a fraction becomes a string such
as "3/5". All values are decoded exactly, but a refusal keeps only its reason and a sentence. New fields need no changes
here, except fields of ``Unplaceable`` and fields of the ``Members`` of a placement.
"""

import math
import types
from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass, replace
from enum import StrEnum
from fractions import Fraction
from functools import cache
from typing import Any, Union, get_args, get_origin, get_type_hints

import numpy as np

from coschedule.model.errors import InvalidValueError
from coschedule.model.numbers import Number
from coschedule.model.reading import join, read_choice, read_exact, read_list, read_object, read_string
from coschedule.queue.keeping.memory import kept_from
from coschedule.queue.problem.decisions import Decision, Hold, Placement, Plan, Unplaceable
from coschedule.queue.problem.gangs import GangKey, PendingGang
from coschedule.queue.problem.members import Members
from coschedule.queue.problem.parts import decode_part, encode_part
from coschedule.queue.problem.refusals import Reason, Refusal, Spelled
from coschedule.queue.problem.snapshot import Snapshot

_WHOLE_LIMIT = 2**63
_INFINITIES = {"Infinity": math.inf, "-Infinity": -math.inf}
_CALLED = {int: "a whole number", str: "a text", bool: "true or false"}
_ELEMENTS = {np.int64: int, np.float64: float, np.bool_: bool}


def encode_snapshot(snapshot: Snapshot) -> dict[str, Any]:
    """Turn a snapshot into values for any JSON writer; ``decode_snapshot`` returns an equal one."""
    return _encode_fields(snapshot)


def decode_snapshot(document: Any) -> Snapshot:
    """Decode the values that a JSON reader made of an encoded snapshot; InvalidValueError names the wrong field."""
    snapshot: Snapshot = _decode(Snapshot, document, "")
    index = {name: number for number, name in enumerate(snapshot.nodes.names)}
    for number, gang in enumerate(snapshot.gangs):
        if not _members_match_seats(gang, index):
            raise InvalidValueError(f"gangs[{number}].kept.members", "must name the seats that are kept")
    return snapshot


def _members_match_seats(gang: PendingGang, nodes: Mapping[str, int]) -> bool:
    kept = gang.kept
    if kept is None or not kept.members:
        return True
    roles = [role.name for role in gang.roles]
    return kept_from(kept.members, roles, nodes, start=kept.start, finish=kept.finish, latest=None) == replace(
        kept, latest=None
    )


def encode_plan(plan: Plan, sentence_of: Callable[[Refusal], str]) -> dict[str, Any]:
    """Turn a plan into values for any JSON writer; a refusal becomes the sentence that ``sentence_of`` returns."""
    decisions = [
        _encode_unplaceable(decision, sentence_of) if isinstance(decision, Unplaceable) else _encode_placement(decision)
        for decision in plan.decisions
    ]
    return {"generation": plan.generation, "decisions": decisions}


def decode_plan(document: Any) -> Plan:
    """Decode the values that a JSON reader made of an encoded plan; InvalidValueError names the wrong field.

    Placements are equal to the encoded ones; refusals become ``Spelled``.
    """
    plan = read_object(document, "", required=_hints(Plan))
    generation: int = _decode(int, plan["generation"], "generation")
    decisions = tuple(_decode_decision(item, path) for path, item in read_list(plan["decisions"], "decisions"))
    return Plan(generation=generation, decisions=decisions)


def _encode_placement(placement: Placement) -> dict[str, Any]:
    return _encode_fields(placement) | {"members": [_encode_members(members) for members in placement.members]}


def _encode_members(members: Members) -> dict[str, Any]:
    row = {"role": members.role or None, "node": members.node, "size": members.count, "share": None, "pieces": None}
    return row | encode_part(members.part)


def _encode_unplaceable(decision: Unplaceable, sentence_of: Callable[[Refusal], str]) -> dict[str, Any]:
    return {
        "gang": _encode(decision.gang),
        "reason": decision.reason,
        "detail": sentence_of(decision.refusal),
        "hold": _encode(decision.hold),
        "fits_empty": decision.fits_empty,
    }


def _decode_decision(value: Any, path: str) -> Decision:
    if isinstance(value, dict) and "reason" in value:
        return _decode_unplaceable(value, path)
    optional = _with_default(Placement)
    fields = read_object(
        value, path, required=[one for one in _hints(Placement) if one not in optional], optional=optional
    )
    members = read_list(fields["members"], join(path, "members"))
    placement: Placement = _decode(Placement, {**fields, "members": []}, path)
    return replace(placement, members=tuple(_decode_members(item, where) for where, item in members))


def _decode_members(value: Any, path: str) -> Members:
    row = read_object(value, path, required=("node", "size"), optional=("role", "share", "pieces"))
    hints = {"role": str, "node": str, "size": int, "share": float, "pieces": int}
    present = {name: item for name, item in row.items() if item is not None or name in ("node", "size")}
    given = {name: _decode(hints[name], item, join(path, name)) for name, item in present.items()}
    return Members(given["node"], given["size"], decode_part(given), given.get("role", ""))


def _decode_unplaceable(value: Any, path: str) -> Unplaceable:
    fields = read_object(value, path, required=("gang", "reason", "detail"), optional=("hold", "fits_empty"))
    reason = _decode(Reason, fields["reason"], join(path, "reason"))
    sentence = _decode(str, fields["detail"], join(path, "detail"))
    return Unplaceable(
        gang=_decode(GangKey, fields["gang"], join(path, "gang")),
        refusal=Spelled(reason=reason, sentence=sentence),
        hold=_decode(Hold | None, fields.get("hold"), join(path, "hold")),
        fits_empty=_decode(bool | None, fields.get("fits_empty"), join(path, "fits_empty")),
    )


def _encode(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else _infinity(value)
    if isinstance(value, Fraction):
        return f"{value.numerator}/{value.denominator}"
    if isinstance(value, np.ndarray):
        return _encode(value.tolist())
    if _has_fields(value):
        return _encode_fields(value)
    if isinstance(value, tuple | list | frozenset):
        return [_encode(item) for item in (sorted(value) if isinstance(value, frozenset) else value)]
    return dict(value) if isinstance(value, Mapping) else value


def _encode_fields(value: Any) -> dict[str, Any]:
    record: Any = type(value)
    return {name: _encode(getattr(value, name)) for name in _hints(record)}


def _infinity(value: float) -> str:
    return "Infinity" if value > 0 else "-Infinity"


def _decode(hint: Any, value: Any, path: str) -> Any:
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return _decode_union(parts, value, path)
    if origin is tuple:
        return _decode_tuple(parts, value, path)
    if origin is frozenset:
        return frozenset(_decode(parts[0], item, where) for where, item in read_list(value, path))
    if origin is np.ndarray:
        [element] = get_args(parts[1])
        return _decode_array(_ELEMENTS[element], value, path)
    if origin is Mapping:
        return _decode_mapping(value, path)
    return _decode_fields(hint, value, path) if _has_fields(hint) else _decode_leaf(hint, value, path)


def _decode_union(choices: tuple[Any, ...], value: Any, path: str) -> Any:
    """Decode one of several types: None, a number, or the type that shares the most fields with a JSON object."""
    if value is None and types.NoneType in choices:
        return None
    if Fraction in choices:
        return _decode_number(Fraction, value, path)
    given = set(value) if isinstance(value, dict) else set()
    choices = tuple(choice for choice in choices if choice is not types.NoneType)
    return _decode(max(choices, key=lambda choice: len(given & set(_hints(choice)))), value, path)


def _decode_tuple(parts: tuple[Any, ...], value: Any, path: str) -> tuple[Any, ...]:
    items = read_list(value, path)
    hints = [parts[0]] * len(items) if parts[-1] is Ellipsis else parts
    if len(hints) != len(items):
        raise InvalidValueError(path, f"must have {len(hints)} items")
    return tuple(_decode(hint, item, where) for hint, (where, item) in zip(hints, items, strict=True))


def _decode_array(element: type, value: Any, path: str) -> list[Any]:
    """Decode a list of numbers, or a list of such lists. The dataclass with this field turns the list into an array."""
    return [
        _decode_array(element, item, where) if isinstance(item, list) else _decode_leaf(element, item, where)
        for where, item in read_list(value, path)
    ]


def _decode_mapping(value: Any, path: str) -> dict[str, str]:
    if not isinstance(value, dict):
        raise InvalidValueError(path, "must be an object")
    return {name: read_string(item, join(path, name)) for name, item in value.items()}


def _decode_fields(record: Any, value: Any, path: str) -> Any:
    hints = _hints(record)
    optional = _with_default(record)
    given = read_object(value, path, required=[name for name in hints if name not in optional], optional=optional)
    decoded = {name: _decode(hint, given[name], join(path, name)) for name, hint in hints.items() if name in given}
    try:
        return record(**decoded)
    except (ValueError, OverflowError) as error:
        raise InvalidValueError(path, str(error)) from None


def _decode_leaf(hint: Any, value: Any, path: str) -> Any:
    if issubclass(hint, StrEnum):
        return read_choice(hint, value, path)
    if hint in (float, Fraction):
        return _decode_number(hint, value, path)
    if not isinstance(value, hint) or (hint is int and isinstance(value, bool)):
        raise InvalidValueError(path, f"must be {_CALLED[hint]}")
    if hint is int and not -_WHOLE_LIMIT <= value < _WHOLE_LIMIT:
        raise InvalidValueError(path, "must be a whole number of 64 bits")
    return value


def _decode_number(hint: Any, value: Any, path: str) -> Number:
    """Decode a JSON number or a string; ``hint`` is float or Fraction.

    A JSON number becomes a float, or stays an int or a float if ``hint`` is Fraction. A string becomes a Fraction or an
    infinity.
    """
    if isinstance(value, str) and value in _INFINITIES:
        return _INFINITIES[value]
    if isinstance(value, float) or (isinstance(value, int) and not isinstance(value, bool)):
        return float(value) if hint is float else value
    return read_exact(value, path)


def _has_fields(hint: Any) -> bool:
    """Return whether this is a dataclass or a named tuple, or an instance of one."""
    return is_dataclass(hint) or hasattr(hint, "_fields")


@cache
def _with_default(record: Any) -> tuple[str, ...]:
    """List the names of the fields with a default. These fields may be missing, so older files can still be read."""
    if not is_dataclass(record):
        return tuple(record._field_defaults)
    return tuple(one.name for one in fields(record) if (one.default, one.default_factory) != (MISSING, MISSING))


@cache
def _hints(record: type) -> dict[str, Any]:
    """Return the fields of a dataclass or named tuple with their types, in order; {} for other types.

    Fields that ``__init__`` does not take are left out.
    """
    if not _has_fields(record):
        return {}
    derived = {one.name for one in fields(record) if not one.init} if is_dataclass(record) else frozenset()
    return {name: hint for name, hint in get_type_hints(record).items() if name not in derived}
