"""The largest legal values of every field of our own kinds, one field and one shape at a time."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from builders.served import metadata
from lockstep.api.bounds import MOST_ENTRIES
from lockstep.api.gangjob.gangjob import parse_gang
from lockstep.api.names import API_VERSION, GANG_KIND, POD_GANG_KIND
from tenants.companions import HOST, least_of, with_roles, with_size_for_roles
from tenants.fitting import is_stored, largest
from tenants.scalars import key, scalar, short_scalar
from tenants.schema import Field, Leaf, Schema, Sort, fields, spec_of

Manifest = Mapping[str, Any]

NAMESPACE = "evil"
NAMED = "poison"
"""How the names of the tenant's gangs begin; their number follows."""
GROUP = "group"
"""The Gang of the tenant to which its pods belong that are priced."""
MANY = {
    "gangjobs": 20,
    "gangs": 20,
    # With a few runs each.
    "gangsweeps": 5,
    "nodebids": 50,
    "pods": 500,
    "persistentvolumeclaims": 500,
    "resourcequotas": 100,
    "poddisruptionbudgets": 500,
}
"""So many objects of small size."""
OWN = ("gangjobs", "gangs", "gangsweeps", "nodebids")
"""The kinds whose schema is ours."""
Objects = Callable[[Field, Manifest, int], list[Manifest]]
"""Makes so many objects of what was made for a field."""
Whole = Callable[[Manifest], Manifest]
_ONE_A_NODE = ("nodebids",)
_LABELS_OF_NODES = (".onePer", ".allIn", ".topologyKey")


class Shape(NamedTuple):
    """Objects of one tenant, by the field that is large in them and by how it is; ``plural`` is their kind's."""

    plural: str
    field: str
    name: str
    make: Callable[[], list[Manifest]]


class Sized(NamedTuple):
    """A shape of a field: how many objects there are of it, and how their spec is made."""

    name: str
    count: int
    spec: Callable[[], Manifest]


def shapes_of_gangs(schema: Schema | None = None) -> Iterator[Shape]:
    """GangJobs, each with one field at its largest; of another schema than the CRD's, if one is given."""
    for field in fields(schema or spec_of("gangjobs")):
        yield from shapes_of("gangjobs", field, _gangs)


def shapes_of_pod_gangs() -> Iterator[Shape]:
    """Gangs, whose pods wait for nodes."""
    for field in fields(spec_of("gangs")):
        yield from shapes_of("gangs", field, _pod_gangs)


def shapes_of_bids() -> Iterator[Shape]:
    """NodeBids: one for each node, since their names are those of nodes."""
    for field in fields(spec_of("nodebids")):
        yield from shapes_of("nodebids", field, _bids)


def shapes_of(plural: str, field: Field, objects: Objects) -> Iterator[Shape]:
    """Objects of a kind, with one field at its largest."""
    for one in _specs(field, objects, plural):
        yield Shape(plural, field.path, one.name, partial(_made, objects, field, one))


def gang(spec: Manifest, number: int = 0) -> Manifest:
    """A GangJob of the tenant, as the API server gives it: the last in the queue."""
    return _of_kind(GANG_KIND, spec, number)


def _of_kind(kind: str, spec: Manifest, number: int) -> Manifest:
    named = metadata(f"{NAMED}{number}", namespace=NAMESPACE, generation=1)
    manifest = {"apiVersion": API_VERSION, "kind": kind, "metadata": named, "spec": spec}
    return {**manifest, "metadata": {**named, "creationTimestamp": "2027-01-16T07:00:00Z"}}


def _pod_gangs(_: Field, spec: Manifest, count: int) -> list[Manifest]:
    return [_of_kind(POD_GANG_KIND, with_size_for_roles(spec), number) for number in range(count)]


def _gangs(field: Field, spec: Manifest, count: int) -> list[Manifest]:
    return [gang(with_roles(field.path, spec), number) for number in range(count)]


def _bids(_: Field, spec: Manifest, count: int) -> list[Manifest]:
    return [{"metadata": metadata(f"n{number:03}", generation=1), "spec": spec} for number in range(count)]


def _made(objects: Objects, field: Field, one: Sized) -> list[Manifest]:
    return objects(field, one.spec(), one.count)


def _specs(field: Field, objects: Objects, plural: str) -> Iterator[Sized]:
    """Each shape of the field."""
    whole = partial(_whole, objects, field)
    match field.sort:
        case Sort.LIST | Sort.MAP:
            yield from _of_entries(field, whole)
            yield Sized("small, of many", MANY[plural], partial(_small, field))
        case Sort.SCALAR:
            ones, count = [1] * len(field.most), MANY[plural] if plural in _ONE_A_NODE else 1
            yield Sized("largest", count, lambda: field.value(ones, partial(scalar, field.schema, is_large=True)))
            if field.path.endswith(_LABELS_OF_NODES):
                yield Sized("label of every node", MANY[plural], lambda: field.value(ones, lambda _: HOST))
        case Sort.OBJECT:
            return
    if field.most:
        yield from _wherever(field, whole, plural)


def _whole(objects: Objects, field: Field, spec: Manifest) -> Manifest:
    return objects(field, spec, 1)[0]


def _of_entries(field: Field, whole: Whole) -> Iterator[Sized]:
    if field.sort is Sort.LIST and "x-kubernetes-list-type" not in field.schema:
        yield Sized("equal entries", 1, partial(_filled, field, whole, is_equal=True))
    yield Sized("different entries", 1, partial(_filled, field, whole))
    yield Sized("longest entries", 1, partial(_filled, field, whole, is_large=True))


def _wherever(field: Field, whole: Whole, plural: str) -> Iterator[Sized]:
    """The field with one small entry, in as many entries of all lists and maps on the way as fit."""
    make = partial(field.value, leaf=_one_entry_of(field))
    yield Sized("wherever it can be", 1, lambda: largest(make, field.most, lambda spec: is_stored(whole(spec))))
    if plural == "gangjobs":
        fits = partial(is_read, whole)
        yield Sized("as often as it is read", 1, lambda: largest(make, field.most, fits, at_most=MOST_ENTRIES))


def is_read(whole: Whole, spec: Manifest) -> bool:
    """Whether etcd takes the GangJob, and the operator plans its gang."""
    return is_stored(whole(spec)) and parse_gang(whole(spec), None, gate_image="gate").refusal is None


def _small(field: Field) -> Manifest:
    spec: Manifest = field.value([1] * len(field.most), _one_entry_of(field))
    return spec


def _one_entry_of(field: Field) -> Leaf:
    return _entries_of(field, 1) if field.sort in (Sort.LIST, Sort.MAP) else short_scalar(field.schema)


def _filled(field: Field, whole: Whole, *, is_equal: bool = False, is_large: bool = False) -> Manifest:
    """The field with as many entries as fit, in one entry of each list and map on the way."""
    most = field.schema["maxItems" if field.sort is Sort.LIST else "maxProperties"]
    ones = [1] * len(field.most)

    def made(counts: Sequence[int]) -> Manifest:
        leaf = _entries_of(field, counts[0], is_equal=is_equal, is_large=is_large)
        spec: Manifest = field.value(ones, leaf)
        return spec

    spec: Manifest = largest(made, [most], lambda spec: is_stored(whole(spec)))
    return spec


def _entries_of(field: Field, count: int, *, is_equal: bool = False, is_large: bool = False) -> Leaf:
    """Makes so many entries of a list or a map; a number distinguishes them from those of others."""

    def numbers(number: int) -> Sequence[int]:
        return [number] * count if is_equal else range(number * count, (number + 1) * count)

    if field.sort is Sort.LIST:
        entry = _entry_of(f"{field.path}[]", field.schema["items"], is_large=is_large)
        return lambda number: [*map(entry, numbers(number))]
    path = f"{field.path}{{}}"
    value = _entry_of(path, field.schema["additionalProperties"], is_large=is_large)
    return lambda number: {key(path, one, is_large=is_large): value(one) for one in numbers(number)}


def _entry_of(path: str, schema: Schema, *, is_large: bool) -> Leaf:
    """Makes the smallest entries, or those with the longest texts of what the smallest have."""
    smallest = least_of(path, schema)
    return (lambda number: _longer(schema, smallest(number), number)) if is_large else smallest


def _longer(schema: Schema, value: Any, number: int) -> Any:
    if isinstance(value, dict) and "properties" in schema:
        return {name: _longer(schema["properties"][name], one, number) for name, one in value.items()}
    if isinstance(value, list):
        return [_longer(schema["items"], one, number) for one in value]
    is_text = isinstance(value, str) and "maxLength" in schema and "enum" not in schema
    return scalar(schema, number, is_large=True) if is_text and value != HOST else value
