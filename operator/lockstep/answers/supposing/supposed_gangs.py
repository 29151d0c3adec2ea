"""The Gangs of a file with the pods that would wait for nodes, and notes for users about them."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from coschedule import GangKey
from lockstep.answers.reading.errors import AnswerError
from lockstep.answers.supposing.manifests import called
from lockstep.answers.supposing.named_pods import NamedPods, pods_of
from lockstep.answers.supposing.owner_kinds import CONFIG_MAP, GANG_JOB, POD_GANG, SOURCES, WITHOUT_PODS, kind_of
from lockstep.answers.supposing.sized_pods import SupposedSize, supposed_size
from lockstep.answers.supposing.supposed_pods import lines_that_are_missing, supposed_pods
from lockstep.answers.supposing.train_jobs import with_train_jobs_made
from lockstep.answers.supposing.training_jobs import with_pod_groups_made
from lockstep.api.manifest import Manifest, NewManifest
from lockstep.api.podgang.made_gang import made_gang, made_parts, refused_parts
from lockstep.api.podgang.owners import OWNERS
from lockstep.api.podgang.section import FieldError, Section
from lockstep.api.preemption import gang_name
from lockstep.api.quantities import rfc3339
from lockstep.facts.gang.keys import object_name, pod_gang_key
from lockstep.facts.gang.pod_gang import GroupedPod
from lockstep.facts.gang.source import Source, made_name

_MOST_PODS = 100_000
# The UID of objects that do not exist.
_UID = "supposed"


@dataclass(slots=True, kw_only=True)
class SupposedGang:
    """A Gang, and those of its pods that would wait. ``named_by`` is an object whose pods belong to the Gang.

    ``manifest`` is a Gang that a user has written; ``made`` is a Gang that the operator would make. If both are None,
    the Gang must exist already. An owner that waits for a ``size`` has no pods yet.
    """

    key: GangKey
    manifest: NewManifest | None = None
    made: NewManifest | None = None
    named_by: str = ""
    pods: list[GroupedPod] = field(default_factory=list)
    size: SupposedSize | None = None


class Supposed(NamedTuple):
    """The GangJobs and Gangs of a file, and notes about them."""

    gang_jobs: Sequence[NewManifest]
    gangs: Sequence[SupposedGang]
    notes: Sequence[str]


def supposed(manifests: Iterable[NewManifest], sources: Collection[Source], now: float) -> Supposed:
    """The GangJobs and Gangs that exist if these objects are applied now and the operator has these sources.

    Raises ``AnswerError``.
    """
    gathered = _Gathered(sources, now)
    gang_jobs = []
    for manifest in with_pod_groups_made(with_train_jobs_made(manifests, sources), sources):
        if kind_of(manifest) == GANG_JOB:
            gang_jobs.append(manifest)
        elif kind_of(manifest) in WITHOUT_PODS:
            gathered.left_out(manifest)
        elif kind_of(manifest) == POD_GANG:
            gathered.gang(_key(manifest, manifest["metadata"]["name"])).manifest = manifest
        else:
            _add(gathered, manifest)
    return Supposed(gang_jobs, tuple(gathered.gangs.values()), tuple(dict.fromkeys(gathered.notes)))


def _add(gathered: "_Gathered", manifest: Manifest) -> None:
    try:
        gathered.add(manifest)
    except FieldError as error:
        raise AnswerError(f"{called(manifest)}: {error}.") from error


class _Gathered:
    """Collects the Gangs of a file while its objects are read one by one."""

    def __init__(self, sources: Collection[Source], now: float) -> None:
        self.gangs: dict[GangKey, SupposedGang] = {}
        self.notes: list[str] = []
        self._sources = sources
        self._now = now
        self._pods = 0

    def gang(self, key: GangKey) -> SupposedGang:
        """The Gang of that key, as far as the file was read; an empty one if the key is new."""
        return self.gangs.setdefault(key, SupposedGang(key=key))

    def left_out(self, manifest: Manifest) -> None:
        """Note that the plan leaves out an object without pods. A ConfigMap changes no plan, so it needs no note."""
        if kind_of(manifest) != CONFIG_MAP:
            self.notes.append(
                f"This plan leaves out {called(manifest)}, which has no pods. Apply it first if it matters."
            )

    def add(self, owner: Manifest) -> None:
        """Add the pods of an owner, and the Gang that is made for it. Raises ``AnswerError`` or ``FieldError``."""
        source = SOURCES.get(kind_of(owner))
        if source is not None and source.is_pod_group:
            key = _key(owner, made_name(source, owner["metadata"]["name"]))
            self.gang(key).made = _made(source, owner, key, self._now)
            return
        size = supposed_size(_as_created(owner, self._now), self._now)
        if size is not None:
            self._add_sized(owner, size)
            return
        self.notes += _suspended(owner)
        for named in pods_of(owner, self._sources):
            gang = self.gang(_key(owner, named.gang.gang))
            if named.is_made:
                gang.made = _made(named.gang.source, _maker(owner, named), gang.key, self._now)
            self._add_pods(gang, named)

    def _add_sized(self, owner: Manifest, size: SupposedSize) -> None:
        gang, source = self.gang(size.owner.gang), size.kind.source
        gang.made, gang.size, gang.named_by = _made(source, owner, gang.key, self._now, size=size), size, called(owner)
        for needed in (source, size.kind.option):
            self.notes += self._without_source(gang, needed)

    def _add_pods(self, gang: SupposedGang, named: NamedPods) -> None:
        self._pods += named.number
        if self._pods > _MOST_PODS:
            raise AnswerError(f"It creates more than {_MOST_PODS} pods at once, which is more than Lockstep plans.")
        gang.named_by = named.of
        gang.pods += supposed_pods(named, gang.key, self._now)
        self.notes += lines_that_are_missing(named)
        self.notes += self._without_source(gang, named.gang.source)

    def _without_source(self, gang: SupposedGang, source: Source) -> Iterator[str]:
        if source not in self._sources:
            yield (
                f"{gang_name(gang.key)} needs the source {source}, which is not among the operator's known options. "
                f"This plan assumes that the operator runs with --sources {source}."
            )


def _key(manifest: Manifest, name: str) -> GangKey:
    return pod_gang_key(manifest["metadata"]["namespace"], name)


def _maker(owner: Manifest, named: NamedPods) -> Manifest:
    """The owner from which the Gang is made.

    If the pods themselves own the Gang, the operator makes the Gang from a pod. Then the returned object has the
    annotations of the pods' template.
    """
    if not named.gang.source.is_of_pods:
        return owner
    annotations = named.template.section("metadata").texts("annotations")
    return {**owner, "metadata": {**owner["metadata"], "annotations": annotations}}


def _made(
    source: Source, owner: Manifest, gang: GangKey, now: float, *, size: SupposedSize | None = None
) -> NewManifest:
    """The Gang that the operator makes for an owner that is created now."""
    new, kind = _as_created(owner, now), OWNERS[source]
    if size is not None and size.problem:
        parts = refused_parts(kind, new, size.problem)
    else:
        parts = made_parts(kind, new, awaits_size=size is not None)
    made = made_gang(object_name(gang), new, parts)
    return {**made, "metadata": {**made["metadata"], **as_created(now)}}


def _as_created(owner: Manifest, now: float) -> NewManifest:
    annotations = Section(owner).section("metadata").texts("annotations")
    about = {**owner["metadata"], **as_created(now), "annotations": annotations}
    return {**owner, "metadata": about, "status": None}


def as_created(now: float) -> NewManifest:
    """The metadata that the API server would give to an object that is created now."""
    return {"uid": _UID, "resourceVersion": "", "generation": 1, "creationTimestamp": rfc3339(now)}


def _suspended(owner: Manifest) -> Iterator[str]:
    spec = Section(owner).section("spec")
    if spec.has("suspend") or spec.section("runPolicy").has("suspend"):
        yield f"{called(owner)} is suspended. This plan assumes that it is not."
