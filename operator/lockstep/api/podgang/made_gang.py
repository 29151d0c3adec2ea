"""The Gang that the operator makes for an owner of pods, by the owner's spec and its annotations."""

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from lockstep.api.manifest import Manifest
from lockstep.api.names import API_VERSION, GROUP, NEVER_PREEMPTS, POD_GANG_KIND, SIZED_ANNOTATION
from lockstep.api.podgang.first_pods import FirstPods
from lockstep.api.podgang.gang_annotations import (
    ELASTIC,
    HOSTS,
    OVERHEAD_PER_MEMBER,
    SERIAL_TIME,
    SIZE,
    UNDO,
    elastic_terms,
    quoted,
)
from lockstep.api.podgang.later_pods import later_entries
from lockstep.api.podgang.owners import OwnerKind
from lockstep.api.podgang.pod_roles import role_entries
from lockstep.api.podgang.required_domain import required_domain
from lockstep.api.podgang.section import Section
from lockstep.api.quantities import duration_seconds
from lockstep.facts.gang.pod_gang import HostList, OwnerName, Undo
from lockstep.facts.ranks import MOST_RANKS

# Annotation of a Gang that the operator has made. The operator changes such a Gang when its owner changes.
MADE_ANNOTATION = f"{GROUP}/made-by"
MADE = "operator"
# Annotation of such a Gang: why it is refused, for the user who wrote the owner.
PROBLEM_ANNOTATION = f"{GROUP}/problem"
# Annotation of such a Gang: how many of its pods have succeeded once its owner is complete. The annotation is absent if
# this number is at most the Gang's minimum plus its later pods.
IN_ALL_ANNOTATION = f"{GROUP}/pods-in-all"

_NONE: Mapping[str, int] = MappingProxyType({})

# In characters. Errors of the API server, and names of fields, may be longer than an annotation may be.
_LONGEST_PROBLEM = 1000
# As in the schema of a Gang.
_LONGEST_LABEL = 317
# The fields of a Gang's spec that its owner decides and that may be left out, with the fields in them. Only users write
# ``undo`` and ``after``.
_OPTIONAL: Mapping[str, Any] = {
    "deadline": {},
    "placement": {"allIn": {}, "onePer": {}},
    "priorityClassName": {},
    "sizing": {},
    "work": {"overhead": {"fixed": {}, "perLogMember": {}, "perMember": {}}, "profile": {}},
}
_RANGE = re.compile(r"([1-9][0-9]{0,4})(?:-([1-9][0-9]{0,4}))?")


def made_gang(name: str, owner: Manifest, parts: Mapping[str, Any]) -> dict[str, Any]:
    """The Gang for that owner; ``parts`` are its parts by :func:`made_parts`."""
    made = _without_nulls(parts)
    metadata = {**made["metadata"], "name": name, "namespace": owner["metadata"]["namespace"]}
    return {"apiVersion": API_VERSION, "kind": POD_GANG_KIND, **made, "metadata": metadata}


def made_patch(parts: Mapping[str, Any], uid: str) -> dict[str, Any]:
    """The merge patch that gives these parts to the Gang with that UID, whatever its spec says now.

    A field that the parts leave out is removed: otherwise the Gang would never equal the one that its owner asks for.
    """
    return {"metadata": {**parts["metadata"], "uid": uid}, "spec": _with_nulls(parts["spec"], _OPTIONAL)}


def made_parts(
    kind: OwnerKind,
    owner: Manifest,
    *,
    awaits_size: bool = False,
    pods: Sequence[OwnerName] = (),
    succeeded: Mapping[str, int] = _NONE,
) -> dict[str, Any]:
    """The parts of such a Gang that follow from its owner, as a merge patch.

    The Gang is deleted with its owner. An owner that ``awaits_size`` has no pods yet, and may get any number of its
    range. If ``pods`` are given, they have no common owner: the Gang is deleted with the last of them, and ``owner`` is
    any of them. ``succeeded`` has, for each role that is done, the number of its pods that have succeeded. If an
    annotation of the owner is invalid, the Gang is refused, and has an annotation with the reason. Raises an error for
    an owner that can't be parsed.
    """
    try:
        spec = _spec(kind, owner, succeeded, awaits_size=awaits_size)
    except ValueError as error:
        return refused_parts(kind, owner, str(error), pods=pods)
    in_all = None if awaits_size else _in_all(kind, owner, spec)
    return _parts(_references(kind, owner, pods), spec, problem=None, in_all=in_all)


def refused_parts(kind: OwnerKind, owner: Manifest, why: str, *, pods: Sequence[OwnerName] = ()) -> dict[str, Any]:
    """The parts of a Gang whose owner has an invalid annotation: the Gang says why, and is refused."""
    size = {"min": _number_of(kind.first(Section(owner))), "max": None}
    nothing = dict.fromkeys(("work", "placement", "later", "roles", "hosts", "preemptionPolicy"))
    return _parts(_references(kind, owner, pods), {"size": size, **nothing}, problem=f"{kind.kind}: {_bounded(why)}.")


def _spec(kind: OwnerKind, owner: Manifest, succeeded: Mapping[str, int], *, awaits_size: bool) -> dict[str, Any]:
    """The spec of the Gang. Raises ``ValueError`` for an annotation that is invalid."""
    annotations, fields = owner["metadata"].get("annotations") or {}, Section(owner)
    first = kind.first(fields)
    # Later, the pods that have succeeded are subtracted from the minimum. So it must include the pods of done roles.
    done = sum(succeeded.get(one.role, 0) for one in first if one.done)
    expected, left = (MOST_RANKS, MOST_RANKS) if awaits_size else (_number_of(first, done), max(kind.left(owner), 1))
    size = _size(expected, annotations if kind.says_size else {}, is_any_done=any(one.done for one in first))
    # Pods that have succeeded are not created again. With a larger minimum, the last pods would wait for them forever.
    size = {**size, "min": min(size["min"], left)}
    most_later = 0 if SIZE in annotations else MOST_RANKS - size["min"]
    asked_undo(annotations)
    _check_elastic(kind, annotations)
    later = later_entries(first, most_later) or None
    return {
        "size": size,
        "work": _work(annotations),
        "placement": _placement(kind, fields, first),
        "later": later,
        "roles": role_entries(first, size["min"] - done) or None,
        "hosts": _hosts(annotations),
        "preemptionPolicy": None if kind.preempts(Section(owner)) else NEVER_PREEMPTS,
    }


def _bounded(why: str) -> str:
    return why if len(why) <= _LONGEST_PROBLEM else f"{why[:_LONGEST_PROBLEM]}…"


def _in_all(kind: OwnerKind, owner: Manifest, spec: Mapping[str, Any]) -> str | None:
    """How many pods have succeeded once the owner is complete, as text for the annotation.

    It is None in two cases. The number is at most the Gang's minimum plus its later pods. Or Lockstep gives the owner
    its size: then the number may change at a time when the Gang is not compared with the owner.
    """
    if not {SIZED_ANNOTATION, ELASTIC}.isdisjoint(owner["metadata"].get("annotations") or {}):
        return None
    number, later = kind.in_all(Section(owner)), sum(one["pods"] for one in spec["later"] or ())
    return str(number) if number > spec["size"]["min"] + later else None


def _parts(
    references: Sequence[Manifest], spec: Mapping[str, Any], *, problem: str | None, in_all: str | None = None
) -> dict[str, Any]:
    annotations = {MADE_ANNOTATION: MADE, PROBLEM_ANNOTATION: problem, IN_ALL_ANNOTATION: in_all}
    return {"metadata": {"annotations": annotations, "ownerReferences": references}, "spec": spec}


def _references(kind: OwnerKind, owner: Manifest, pods: Sequence[OwnerName]) -> Sequence[Manifest]:
    """The owner references of the Gang. A single owner controls the Gang."""
    named = pods or (OwnerName(owner["metadata"]["name"], owner["metadata"]["uid"]),)
    return [_reference(kind, one, is_in_control=not pods) for one in named]


def _reference(kind: OwnerKind, owner: OwnerName, *, is_in_control: bool) -> Manifest:
    return {
        "apiVersion": kind.api_version,
        "kind": kind.kind,
        "name": owner.name,
        "uid": owner.uid,
        "controller": is_in_control,
        # True would need a right to the owner's finalizers.
        "blockOwnerDeletion": False,
    }


def _number_of(first: Sequence[FirstPods], done: int = 0) -> int:
    return min(max(sum(pods.number for pods in first), 1) + done, MOST_RANKS)


def size_range(annotations: Mapping[str, str]) -> tuple[int, int]:
    """The fewest and the most pods that an owner asks for. Raises ``ValueError`` for a text that is no range."""
    found = _RANGE.fullmatch(annotations[SIZE])
    least, most = (int(found[1]), int(found[2] or found[1])) if found else (1, 0)
    if not least <= most <= MOST_RANKS:
        raise ValueError(
            f"annotation {SIZE}: {quoted(annotations[SIZE])} is not a number or range of pods, such as 4 or 2-6"
        )
    return least, most


def asked_undo(annotations: Mapping[str, str]) -> Undo | None:
    """What to do with bound pods that can't stay; None if the owner does not say. Raises ``ValueError``.

    The owner is read when pods have to go, so that the answer is not outdated. The operator does not write the answer
    into the Gang.
    """
    if UNDO not in annotations:
        return None
    if annotations[UNDO] not in (*Undo,):
        raise ValueError(f"annotation {UNDO}: {quoted(annotations[UNDO])} is neither {' nor '.join(Undo)}")
    return Undo(annotations[UNDO])


def _size(expected: int, annotations: Mapping[str, str], *, is_any_done: bool) -> dict[str, Any]:
    """The size of the Gang of an owner that creates the ``expected`` number of pods.

    The size in the annotation includes pods that are done and gone. So if any pods are done, ``expected`` limits the
    minimum.
    """
    if SIZE not in annotations:
        return {"min": expected, "max": None}
    least, most = size_range(annotations)
    if least > expected and is_any_done:
        least = expected
    if least > expected:
        raise ValueError(f"annotation {SIZE}: asks for at least {least} pods, but only {expected} are created at first")
    return {"min": least, "max": most}


def _work(annotations: dict[str, str]) -> dict[str, Any] | None:
    if SERIAL_TIME not in annotations:
        return None
    for name in (SERIAL_TIME, OVERHEAD_PER_MEMBER):
        if name in annotations:
            _check_duration(name, annotations[name])
    overhead = annotations.get(OVERHEAD_PER_MEMBER)
    return {"serialTime": annotations[SERIAL_TIME]} | ({"overhead": {"perMember": overhead}} if overhead else {})


def _hosts(annotations: Mapping[str, str]) -> str | None:
    if HOSTS not in annotations:
        return None
    if annotations[HOSTS] not in [*HostList]:
        raise ValueError(f"annotation {HOSTS}: {quoted(annotations[HOSTS])} is neither {' nor '.join(HostList)}")
    return annotations[HOSTS]


def _check_elastic(kind: OwnerKind, annotations: Mapping[str, str]) -> None:
    """Raise ``ValueError`` if an owner asks for changes of its size that can't be made."""
    if elastic_terms(annotations) is None:
        return
    if not kind.is_elastic:
        raise ValueError(f"annotation {ELASTIC}: a {kind.kind} can't change its size while it runs")
    if SIZE not in annotations:
        raise ValueError(f"annotation {ELASTIC}: it needs the annotation {SIZE} with a range, such as 2-6")


def _placement(kind: OwnerKind, owner: Section, first: Sequence[FirstPods]) -> dict[str, Any] | None:
    own, label = kind.domain(owner), required_domain(owner, first)
    if own and label not in ("", own):
        raise ValueError(
            f"its spec requires one domain of {own}, and its annotations one of {label}: name only one of these labels"
        )
    domain = own or label
    if len(domain) > _LONGEST_LABEL:
        raise ValueError(f"the label of its domain has {len(domain)} characters, and may have at most {_LONGEST_LABEL}")
    return {"allIn": domain} if domain else None


def _check_duration(name: str, text: str) -> None:
    try:
        duration_seconds(text)
    except (ValueError, ArithmeticError) as error:
        raise ValueError(f"annotation {name}: {quoted(text)} is not a duration, such as 90m") from error


def _with_nulls(part: Mapping[str, Any], optional: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a merge patch that also removes the ``optional`` fields that it leaves out."""
    inner = {name: _with_nulls(part[name], optional[name]) for name in optional if isinstance(part.get(name), Mapping)}
    return {**dict.fromkeys(optional), **part, **inner}


def _without_nulls(patch: Mapping[str, Any]) -> dict[str, Any]:
    """The object that a merge patch makes of an empty one."""
    return {
        name: _without_nulls(value) if isinstance(value, dict) else value
        for name, value in patch.items()
        if value is not None
    }
