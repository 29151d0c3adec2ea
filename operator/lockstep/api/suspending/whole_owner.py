"""Checks whether all pods of an owner are of one Gang: a suspension of the owner would end other pods, too."""

from lockstep.api.manifest import Manifest
from lockstep.api.names import MEMBER_OF_LABEL, SCHEDULER_NAME
from lockstep.api.podgang.gang_names import POD_GROUP_LABEL
from lockstep.api.podgang.owners import OwnerKind
from lockstep.api.podgang.section import FieldError, Section


def has_other_pods(kind: OwnerKind, owner: Manifest) -> bool:
    """Whether a template of the owner is invalid, or makes pods for another scheduler or for another Gang.

    The templates of a PodGroup's pods are unknown. But its ``minMember`` counts all its pods, so they are of the Gang.
    """
    try:
        templates = [pods.template for pods in kind.first(Section(owner))]
        return any(_is_of_others(template) for template in templates if template is not None)
    except FieldError:
        return True


def _is_of_others(template: Section) -> bool:
    labels = template.section("metadata").texts("labels")
    spec = template.section("spec")
    names_another = labels.get(MEMBER_OF_LABEL) or labels.get(POD_GROUP_LABEL) or spec.has("schedulingGroup")
    return bool(names_another) or spec.text("schedulerName") != SCHEDULER_NAME
