"""Makes the PodGroups that Kubeflow's training operator makes for jobs of a file, if its option for that is on."""

from collections.abc import Collection, Iterable, Iterator
from typing import Any

from lockstep.answers.reading.errors import AnswerError
from lockstep.answers.supposing.manifests import called
from lockstep.answers.supposing.merged import merged
from lockstep.answers.supposing.owner_kinds import TRAINING_JOBS, kind_of
from lockstep.api.manifest import Manifest, NewManifest
from lockstep.api.names import MEMBER_OF_LABEL, SCHEDULER_NAME
from lockstep.api.podgang.gang_names import POD_GROUP_LABEL
from lockstep.api.podgang.owners import OWNERS
from lockstep.api.podgang.section import FieldError, Section
from lockstep.facts.gang.source import Source


def with_pod_groups_made(manifests: Iterable[NewManifest], sources: Collection[Source]) -> Iterator[NewManifest]:
    """The same objects, with a PodGroup before each job of the training operator that gets one.

    The pods of this job then name the PodGroup. Raises ``AnswerError``.
    """
    for one in manifests:
        field = TRAINING_JOBS.get(kind_of(one))
        if field is None:
            yield one
            continue
        try:
            yield from _made(one, field, sources)
        except FieldError as error:
            raise AnswerError(f"{called(one)}: {error}.") from error


def _made(job: NewManifest, field: str, sources: Collection[Source]) -> Iterator[NewManifest]:
    """The PodGroup of a job, and the job with pods that name this PodGroup.

    Pods in a Gang of the user do not name the PodGroup. If all pods are in such Gangs, there is no PodGroup.
    """
    replicas = Section(job).section("spec").section(field)
    types = {name: replicas.section(name) for name in replicas.fields}
    grouped = {name: one for name, one in types.items() if not _is_in_own_gang(one, sources)}
    if grouped:
        yield _pod_group(job, sum(one.number("replicas", otherwise=1) for one in types.values()))
    named = {name: _in_group(one, job["metadata"]["name"]) for name, one in grouped.items()}
    yield {**job, "spec": {**job["spec"], field: {**replicas.fields, **named}}}


def _is_in_own_gang(replicas: Section, sources: Collection[Source]) -> bool:
    """Whether the pods name a Gang of the user by a label, and the label counts.

    The label does not count if PodGroups are a source and ``pods`` is not.
    """
    labels = replicas.section("template").section("metadata").texts("labels")
    return bool(labels.get(MEMBER_OF_LABEL)) and (Source.PODS in sources or Source.POD_GROUP not in sources)


def _pod_group(job: Manifest, pods: int) -> NewManifest:
    """The PodGroup of a job, with the job's annotations. Without minAvailable, the PodGroup needs all pods."""
    kind, metadata = OWNERS[Source.POD_GROUP], Section(job).section("metadata")
    policy = Section(job).section("spec").section("runPolicy").section("schedulingPolicy")
    about = {name: job["metadata"][name] for name in ("name", "namespace")}
    return {
        "apiVersion": kind.api_version,
        "kind": kind.kind,
        "metadata": {**about, "annotations": dict(metadata.texts("annotations"))},
        "spec": {"minMember": policy.number("minAvailable", otherwise=pods)},
    }


def _in_group(replicas: Section, name: str) -> dict[str, Any]:
    """These replicas with the label and the scheduler name that the training operator writes to their pods."""
    template = replicas.section("template")
    scheduler = template.section("spec").text("schedulerName") or SCHEDULER_NAME
    written = {"metadata": {"labels": {POD_GROUP_LABEL: name}}, "spec": {"schedulerName": scheduler}}
    return merged(replicas.fields, {"template": merged(template.fields, written)})
