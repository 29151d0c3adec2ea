"""The kinds of owners that can get a size. Each is a source of its own."""

from collections.abc import Callable, Collection
from functools import partial
from typing import Any, NamedTuple

from lockstep.api.manifest import Manifest, NewManifest
from lockstep.api.podgang.gang_annotations import elastic_terms
from lockstep.api.podgang.owners import OWNERS, OwnerKind
from lockstep.api.podgang.section import FieldError
from lockstep.api.podgang.sizing.awaiting import NewSize
from lockstep.api.podgang.sizing.elastic_ray_cluster import (
    HEADS,
    ray_cluster_resized,
    running_pods_of_ray_cluster,
    workers_of_ray_cluster,
)
from lockstep.api.podgang.sizing.size_mark import first_size, size_given_to, without_size
from lockstep.api.podgang.sizing.sized_job import (
    job_awaits_size,
    job_problem,
    job_resized,
    job_sizes,
    job_with_size,
    pod_of_job,
    queued_job_awaits_size,
    queued_job_with_size,
    running_pods_of_job,
)
from lockstep.api.podgang.sizing.sized_ray_cluster import (
    head_of_ray_cluster,
    ray_cluster_awaits_size,
    ray_cluster_problem,
    ray_cluster_sizes,
    ray_cluster_with_size,
    worker_of_ray_cluster,
)
from lockstep.facts.gang.keys import pod_gang_key
from lockstep.facts.gang.sized_owner import ElasticPods, SizedOwner
from lockstep.facts.gang.source import Source, made_name


class ElasticKind(NamedTuple):
    """How owners of a kind change their size while they run.

    ``pods`` returns an owner's number of pods if it may change, and 0 otherwise. ``pods_when_ending`` returns the same
    for an owner of which a part is done. ``resized`` returns a merge patch. If only some pods may come and go, ``role``
    returns the role in their label. ``fixed`` is the number of the other pods.
    """

    pods: Callable[[Manifest], int]
    pods_when_ending: Callable[[Manifest], int]
    resized: Callable[[Manifest, NewSize], dict[str, Any]]
    role: Callable[[Manifest], str] = lambda _: ""
    fixed: int = 0


class QueuedKind(NamedTuple):
    """How owners of a kind get a size while they wait in a queue of Kueue: whether one waits, and the patch."""

    awaits_size: Callable[[Manifest], bool]
    with_size: Callable[[Manifest, int], dict[str, Any]]


class SizedKind(NamedTuple):
    """How owners of ``source`` get a size. They get one only if the operator has the source ``option``, too.

    ``problem`` returns a clause that says why an owner can't get a size. ``pod`` makes one of the pods whose number
    varies, and ``first_pod`` makes the pod that exists at any size. If a kind has ``elastic``, its owners may get
    another size while they run. If it has ``queued``, its owners get a size while they wait in a queue of Kueue.
    """

    source: Source
    option: Source
    awaits_size: Callable[[Manifest], bool]
    sizes: Callable[[Manifest], range]
    with_size: Callable[[Manifest, int], dict[str, Any]]
    pod: Callable[[Manifest], NewManifest]
    first_pod: Callable[[Manifest], NewManifest] | None = None
    problem: Callable[[Manifest], str] = lambda _: ""
    elastic: ElasticKind | None = None
    queued: QueuedKind | None = None

    @property
    def owner(self) -> OwnerKind:
        """The kind of the owners."""
        return OWNERS[self.source]

    def parse(self, owner: Manifest, *, is_ending: bool = False) -> SizedOwner:
        """Parse any owner of that kind. If a part of the owner is done, its size may change only if ``is_ending``."""
        metadata = owner["metadata"]
        return SizedOwner(
            gang=pod_gang_key(metadata["namespace"], made_name(self.source, metadata["name"])),
            source=self.source,
            name=metadata["name"],
            uid=metadata["uid"],
            resource_version=metadata["resourceVersion"],
            awaits_size=self.awaits_size(owner),
            is_queued=self.awaits_size_in_queue(owner),
            sizes=self._sizes(owner),
            elastic=self._elastic(owner, is_ending=is_ending),
        )

    def awaits_size_in_queue(self, owner: Manifest) -> bool:
        """Whether an owner waits for a size in a queue of Kueue."""
        return self.queued is not None and self.queued.awaits_size(owner)

    def _elastic(self, owner: Manifest, *, is_ending: bool) -> ElasticPods | None:
        """The pods of a running owner; None if its size can't change, or if its annotations are invalid."""
        try:
            terms = elastic_terms(owner["metadata"].get("annotations") or {})
        except ValueError:
            return None
        if self.elastic is None or terms is None:
            return None
        pods = (self.elastic.pods_when_ending if is_ending else self.elastic.pods)(owner)
        if not pods:
            return None
        return ElasticPods(pods, first_size(owner, pods), terms, self.elastic.role(owner), self.elastic.fixed)

    def _sizes(self, owner: Manifest) -> range:
        try:
            return self.sizes(owner)
        except FieldError:
            # A field has the wrong type. The Gang of the owner is refused for the same reason.
            return range(0)


SIZED_KINDS = (
    SizedKind(
        Source.JOB,
        Source.SIZED_JOB,
        job_awaits_size,
        job_sizes,
        job_with_size,
        pod_of_job,
        problem=job_problem,
        elastic=ElasticKind(running_pods_of_job, partial(running_pods_of_job, is_ending=True), job_resized),
        queued=QueuedKind(queued_job_awaits_size, queued_job_with_size),
    ),
    SizedKind(
        Source.RAY_CLUSTER,
        Source.SIZED_RAY_CLUSTER,
        ray_cluster_awaits_size,
        ray_cluster_sizes,
        ray_cluster_with_size,
        worker_of_ray_cluster,
        head_of_ray_cluster,
        ray_cluster_problem,
        elastic=ElasticKind(
            running_pods_of_ray_cluster,
            running_pods_of_ray_cluster,
            ray_cluster_resized,
            workers_of_ray_cluster,
            HEADS,
        ),
    ),
)
"""All kinds whose owners can get a size."""


def sized_kinds(sources: Collection[Source]) -> list[SizedKind]:
    """The kinds whose owners get a size with these sources."""
    return [kind for kind in SIZED_KINDS if kind.option in sources]


def gets_size_anew(api_version: str, kind: str, owner: Manifest, sources: Collection[Source]) -> bool:
    """Whether an owner that has a size would wait for a size again, with these sources, if that size were removed."""
    named = ((one.owner.api_version, one.owner.kind, one) for one in sized_kinds(sources))
    known = next((one for *its_name, one in named if its_name == [api_version, kind]), None)
    return known is not None and bool(size_given_to(owner)) and known.awaits_size(without_size(owner))


def sized_kind(source: Source) -> SizedKind | None:
    """The kind of owners of that source; None if they can't get a size."""
    return next((kind for kind in SIZED_KINDS if kind.source is source), None)
