"""What Kueue has queued: it decides when that is suspended and resumed, and how large it is."""

from collections.abc import Iterator
from typing import NamedTuple

from lockstep.api.manifest import Manifest
from lockstep.api.names import SCHEDULER_NAME
from lockstep.api.podgang.section import Section

KUEUE_PREFIX = "kueue.x-k8s.io/"
"""What labels and gates of Kueue begin with."""
KUEUE_VERSION = f"{KUEUE_PREFIX}v1beta2"
LEAST_PARALLELISM = f"{KUEUE_PREFIX}job-min-parallelism"
"""Annotation of a Job: so few of its pods Kueue may admit."""
COMPLETIONS_EQUAL = f"{KUEUE_PREFIX}job-completions-equal-parallelism"
"""Annotation of such a Job: Kueue changes its completions with its parallelism."""


class AdmittedPods(NamedTuple):
    """So many pods of one template have quota, in these flavors; ``name`` is that of their part of the Workload."""

    name: str
    number: int
    template: Section
    flavors: tuple[str, ...]


def is_queued(owner: Manifest) -> bool:
    """Whether an owner of pods is Kueue's, by its labels."""
    return any(label.startswith(KUEUE_PREFIX) for label in owner["metadata"].get("labels") or {})


def admitted_pods(workload: Manifest) -> Iterator[AdmittedPods]:
    """The pods that name Lockstep as their scheduler, as many as have quota. Raises ``FieldError``."""
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
