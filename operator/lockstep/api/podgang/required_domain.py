"""The domain in which all pods of an owner must be, by the annotations of Kueue and KAI.

Kueue reads the annotations of pod templates, and KAI reads the annotations of the owner. Preferences are not read,
since a Gang can't state them.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from lockstep.api.podgang.first_pods import FirstPods
from lockstep.api.podgang.gang_annotations import OF_OWNER, OF_PARTS, OF_TEMPLATE
from lockstep.api.podgang.section import Section


class _Requirement(NamedTuple):
    """The ``label`` of nodes that an annotation of the object at ``path`` states; '' if the annotation is absent."""

    path: str
    annotation: str
    label: str


def required_domain(owner: Section, pods: Sequence[FirstPods]) -> str:
    """The label of nodes by which all pods must be in one domain; '' if they may be anywhere.

    Raises ``ValueError`` if the owner and its templates require different domains, or domains for parts of the pods.
    Otherwise, pods might be placed as if they required nothing.
    """
    # A pod that is its own owner is always in one domain, so its annotations as a template do not count.
    templates = [one.template for one in pods if one.template not in (None, owner) and one.template.fields]
    for template in templates:
        _refuse_parts(template)
    first, *others = _requirements(owner, templates)
    for other in others:
        if other.label != first.label:
            raise ValueError(
                f"{_says(first)}, and {_says(other)}. All have to name the same label, since a Gang has one domain"
            )
    return first.label


def _requirements(owner: Section, templates: Sequence[Section]) -> Iterator[_Requirement]:
    """The requirements that must be equal.

    The templates count if one of them requires a domain. The owner counts if it requires a domain, or if no template
    does.
    """
    own = _requirement(owner, OF_OWNER)
    of_templates = [_requirement(template, OF_TEMPLATE) for template in templates]
    is_in_templates = any(one.label for one in of_templates)
    if own.label or not is_in_templates:
        yield own
    if is_in_templates:
        yield from of_templates


def _requirement(section: Section, annotation: str) -> _Requirement:
    return _Requirement(section.path, annotation, _annotations(section).get(annotation, ""))


def _annotations(section: Section) -> dict[str, str]:
    return dict(section.section("metadata").texts("annotations"))


def _refuse_parts(template: Section) -> None:
    annotations = _annotations(template)
    for name in OF_PARTS:
        if name in annotations:
            raise ValueError(f"annotation {name} of {template.path}: a Gang can't have domains for parts of its pods")


def _says(one: _Requirement) -> str:
    where = one.path or "its own metadata"
    if not one.label:
        return f"{where} has no {one.annotation}"
    return f"annotation {one.annotation} of {where} says {one.label}"
