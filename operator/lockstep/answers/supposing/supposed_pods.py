"""Makes the pods of a template, as if they waited for nodes."""

from collections.abc import Iterator
from dataclasses import replace

from coschedule import GangKey
from lockstep.answers.reading.errors import AnswerError
from lockstep.answers.supposing.named_pods import NamedPods
from lockstep.api.manifest import NewManifest
from lockstep.api.names import MEMBER_OF_LABEL, SCHEDULER_NAME
from lockstep.api.podgang.any_pod import parse_any_pod
from lockstep.api.podgang.kueue_group import group_terms
from lockstep.api.podgang.section import FieldError, Section
from lockstep.api.quantities import rfc3339
from lockstep.api.unreadable.unreadable_objects import describe
from lockstep.facts.gang.keys import object_name
from lockstep.facts.gang.pod_gang import GroupedPod, GroupTerms
from lockstep.facts.gang.source import Source
from lockstep.facts.pods.pod import PodKey
from lockstep.facts.ranks import MOST_RANKS


def supposed_pods(named: NamedPods, gang: GangKey, now: float) -> list[GroupedPod]:
    """The pods of the template in that Gang, created now; at most ``MOST_RANKS``.

    Raises ``AnswerError`` or ``FieldError`` if they are invalid.
    """
    one = _parsed(named, gang, now)
    if not named.template.path:
        return [one]
    names = (f"{one.key.name} {number}" for number in range(min(named.number, MOST_RANKS)))
    return [replace(one, key=PodKey(gang.namespace, name), uid=name) for name in names]


def lines_that_are_missing(named: NamedPods) -> Iterator[str]:
    """A sentence if another scheduler would place these pods; nothing otherwise."""
    scheduler = named.template.section("spec").text("schedulerName")
    if scheduler != SCHEDULER_NAME:
        field, says = _field(named, "schedulerName"), f"is {scheduler}" if scheduler else "is missing"
        yield f"{named.of}: {field} {says}. Write {SCHEDULER_NAME}: this plan assumes that the field has this value."


def _parsed(named: NamedPods, gang: GangKey, now: float) -> GroupedPod:
    _check(named.template.section("spec"))
    manifest = _manifest(named, gang, now)
    try:
        pod = parse_any_pod(manifest, {Source.PODS})
        # No schema has checked the template. ``hash`` fails if an object is in the place of a text.
        hash(pod)
    except (LookupError, TypeError, AttributeError, ValueError, ArithmeticError) as error:
        raise AnswerError(f"{named.of}: {_field(named)} is invalid: {describe(error)}.") from error
    if not isinstance(pod, GroupedPod) or pod.group.waiting is None:
        raise AnswerError(f"{named.of}: {_field(named)} has nodeName or schedulingGates, so its pods are not planned.")
    waiting = pod.group.waiting._replace(source=named.gang.source)
    # Controllers write the role labels of pods, so the template of an owner does not have them.
    role = pod.group.role if named.gang.source is Source.PODS else named.role
    return replace(pod, group=pod.group._replace(waiting=waiting, terms=_terms(named), role=role))


def _terms(named: NamedPods) -> GroupTerms | None:
    """The terms of the group in the pods' annotations; None if another object states them."""
    if named.gang.source is not Source.KUEUE_GROUP:
        return None
    return group_terms(named.template.section("metadata").texts("annotations"))


def _check(spec: Section) -> None:
    """Check the fields that users most often get wrong. Raises ``FieldError``."""
    if not spec.sections("containers"):
        raise FieldError(f"{spec.path}.containers has no entry")
    spec.texts("nodeSelector")
    spec.text("priorityClassName")


def _manifest(named: NamedPods, gang: GangKey, now: float) -> NewManifest:
    """The manifest of one of the pods, as the API server would store it."""
    template = named.template
    labels = {**template.section("metadata").texts("labels"), MEMBER_OF_LABEL: object_name(gang)}
    metadata = {
        "name": named.name,
        "namespace": gang.namespace,
        "uid": "",
        "creationTimestamp": rfc3339(now),
        "labels": labels,
    }
    return {"metadata": metadata, "spec": {**template.section("spec").fields, "schedulerName": SCHEDULER_NAME}}


def _field(named: NamedPods, name: str = "") -> str:
    return ".".join(part for part in (named.template.path, "spec", name) if part)
