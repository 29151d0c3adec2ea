"""The fields of a CRD, and how a value is made that has as many entries as one wants on the way to a field."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from tenants.companions import siblings_of
from tenants.scalars import key

Schema = Mapping[str, Any]
Leaf = Callable[[int], Any]

_CRDS = Path(__file__).parents[2] / "crds"


class Sort(StrEnum):
    """What a field holds."""

    LIST = "list"
    MAP = "map"
    OBJECT = "object"
    SCALAR = "scalar"


class Step(NamedTuple):
    """One step from a value to what it holds: the field ``name``, or ``most`` entries of a list or a map.

    ``path`` is that of what is held, and ``schema`` that of the holder.
    """

    path: str
    sort: Sort
    name: str
    most: int
    schema: Schema


class Field(NamedTuple):
    """A field of a kind's spec by its path, and the steps that lead from the spec to it."""

    path: str
    schema: Schema
    steps: tuple[Step, ...]

    @property
    def sort(self) -> Sort:
        """What the field holds."""
        return sort_of(self.schema)

    @property
    def most(self) -> tuple[int, ...]:
        """How many entries each list and map on the way may have."""
        return tuple(step.most for step in self.steps if step.sort is not Sort.OBJECT)

    def value(self, counts: Sequence[int], leaf: Leaf, number: int = 0) -> Any:
        """The value of a spec with so many entries of each list and map on the way; ``leaf`` makes each last one."""
        return _value_of(self.steps, counts, leaf)(number)


@cache
def spec_of(kind: str) -> Schema:
    """The schema of the spec of a CRD: gangjobs, gangs, gangsweeps or nodebids."""
    [version] = yaml.load((_CRDS / f"{kind}.yaml").read_text(), yaml.CSafeLoader)["spec"]["versions"]
    spec: Schema = version["schema"]["openAPIV3Schema"]["properties"]["spec"]
    return spec


def fields(schema: Schema, path: str = "spec") -> list[Field]:
    """Every field below a schema, but those of roles that a gang without roles has in the same way."""
    return [*_fields(schema, path, ())]


def sort_of(schema: Schema) -> Sort:
    """What a schema describes."""
    if "items" in schema:
        return Sort.LIST
    if "additionalProperties" in schema:
        return Sort.MAP
    return Sort.OBJECT if "properties" in schema else Sort.SCALAR


def _fields(schema: Schema, path: str, steps: tuple[Step, ...]) -> Iterator[Field]:
    for name, one in schema.get("properties", {}).items():
        below = f"{path}.{name}"
        if path not in ("spec.roles[]", "spec.template.roles[]") or name in ("name", "startAfter"):
            to = (*steps, Step(below, Sort.OBJECT, name, 1, schema))
            yield Field(below, one, to)
            yield from _fields(one, below, to)
    for nested, sort, mark, most in (
        ("items", Sort.LIST, "[]", "maxItems"),
        ("additionalProperties", Sort.MAP, "{}", "maxProperties"),
    ):
        if nested in schema:
            to = (*steps, Step(path + mark, sort, "", schema[most], schema))
            if sort_of(schema[nested]) is Sort.SCALAR:
                yield Field(path + mark, schema[nested], to)
            yield from _fields(schema[nested], path + mark, to)


def _value_of(steps: Sequence[Step], counts: Sequence[int], leaf: Leaf) -> Leaf:
    """Makes the value that these steps lead through. What numbers have in common is found once for all of them."""
    if not steps:
        return leaf
    step, below = steps[0], steps[1:]
    if step.sort is Sort.OBJECT:
        beside, make = siblings_of(step.path, step.schema), _value_of(below, counts, leaf)
        return lambda number: {**beside(number), step.name: make(number)}
    count, make = counts[0], _value_of(below, counts[1:], leaf)
    if step.sort is Sort.LIST:
        return lambda number: [*map(make, range(number * count, (number + 1) * count))]
    return lambda number: {key(step.path, one): make(one) for one in range(number * count, (number + 1) * count)}
