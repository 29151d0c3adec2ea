"""Owners in queues of Kueue: Kueue decides when they are suspended and resumed, and how large they are."""

from collections.abc import Iterator
from typing import NamedTuple

from lockstep.api.manifest import Manifest
from lockstep.api.names import SCHEDULER_NAME
from lockstep.api.podgang.section import Section

KUEUE_PREFIX = "kueue.x-k8s.io/"
"""Kueue's labels and gates begin with this prefix."""
KUEUE_VERSION = f"{KUEUE_PREFIX}v1beta2"
LEAST_PARALLELISM = f"{KUEUE_PREFIX}job-min-parallelism"
"""Annotation of a Job: the least number of its pods that Kueue may admit."""
COMPLETIONS_EQUAL = f"{KUEUE_PREFIX}job-completions-equal-parallelism"
"""Annotation of such a Job: Kueue changes its completions together with its parallelism."""


class AdmittedPods(NamedTuple):
    """``number`` pods of one template, which have quota in these flavors, or still wait for quota.

    ``name`` is the name of their pod set in the Workload.
    """

    name: str
    number: int
    template: Section
    flavors: tuple[str, ...]


def is_queued(owner: Manifest) -> bool:
    """Whether the labels of an owner say that Kueue queues it."""
    return any(label.startswith(KUEUE_PREFIX) for label in owner["metadata"].get("labels") or {})


def admitted_pods(workload: Manifest) -> Iterator[AdmittedPods]:
    """The pods that name Lockstep as their scheduler: those with quota, or all pods of a pod set without quota.

    Raises ``FieldError`` for a field of the wrong type.
    """
    assigned = {one["name"]: one for one in _assignments(workload)}
    for pods in Section(workload).section("spec").sections("podSets"):
        template, name = pods.section("template"), pods.text("name")
        given = assigned.get(name, {})
        count = int(given.get("count", pods.number("count", otherwise=1)))
        if count and template.section("spec").text("schedulerName") == SCHEDULER_NAME:
            yield AdmittedPods(name, count, template, tuple(sorted({*(given.get("flavors") or {}).values()})))


def _assignments(workload: Manifest) -> list[Manifest]:
    admission = (workload.get("status") or {}).get("admission") or {}
    return list(admission.get("podSetAssignments") or ())
