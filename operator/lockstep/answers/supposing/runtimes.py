"""The runtimes that TrainJobs of a file name. They are in the file, or are read with the user's own rights."""

from collections.abc import Iterable, Iterator
from http import HTTPStatus
from typing import NamedTuple

from lockstep.answers.reading.cluster import answered
from lockstep.answers.reading.errors import AnswerError, NotAllowedError
from lockstep.answers.supposing.manifests import called
from lockstep.answers.supposing.owner_kinds import CLUSTER_RUNTIME, RUNTIME, RUNTIMES, TRAIN_JOB, kind_of
from lockstep.api.client.answer import Answer, Target
from lockstep.api.client.client import KubeClient
from lockstep.api.client.object_names import segment
from lockstep.api.manifest import Manifest, NewManifest
from lockstep.api.podgang.section import FieldError, Section

_GROUP = RUNTIME.api_version.partition("/")[0]


class RuntimeName(NamedTuple):
    """The runtime that a TrainJob names. ``namespace`` is empty for a ClusterTrainingRuntime."""

    kind: str
    namespace: str
    name: str

    @property
    def target(self) -> Target:
        """The place of the runtime in the API."""
        plural = f"{self.kind.lower()}s"
        within = f"/namespaces/{self.namespace}" if self.namespace else ""
        return Target(f"/apis/{RUNTIME.api_version}{within}/{plural}/{segment(self.name)}", plural)


def runtime_named_by(train_job: Manifest) -> RuntimeName:
    """The runtime of a TrainJob. Raises ``AnswerError`` if the TrainJob names no runtime that Trainer knows."""
    try:
        named = Section(train_job).section("spec").section("runtimeRef")
        group, kind, name = (named.text(field) for field in ("apiGroup", "kind", "name"))
    except FieldError as error:
        raise AnswerError(f"{called(train_job)}: {error}.") from error
    kind = kind or CLUSTER_RUNTIME.kind
    if group not in ("", _GROUP) or kind not in (one.kind for one in RUNTIMES) or not name:
        raise AnswerError(
            f"{called(train_job)}: spec.runtimeRef names no {RUNTIME.kind} and no {CLUSTER_RUNTIME.kind}."
        )
    return RuntimeName(kind, _namespace(kind, train_job), name)


def runtimes_in(manifests: Iterable[Manifest]) -> dict[RuntimeName, Manifest]:
    """The runtimes in a file, by name."""
    return {
        RuntimeName(one["kind"], _namespace(one["kind"], one), one["metadata"]["name"]): one
        for one in manifests
        if kind_of(one) in RUNTIMES
    }


async def read_runtimes(client: KubeClient, manifests: Iterable[NewManifest]) -> list[NewManifest]:
    """Read the runtimes that TrainJobs of a file name and that the file lacks. Raises ``AnswerError``."""
    return [await _read(client, name, by) for name, by in _missing(tuple(manifests))]


def _missing(manifests: Iterable[Manifest]) -> Iterator[tuple[RuntimeName, Manifest]]:
    """The runtimes that the file lacks, each with one TrainJob that names it."""
    known = set(runtimes_in(manifests))
    for one in manifests:
        if kind_of(one) == TRAIN_JOB and (name := runtime_named_by(one)) not in known:
            known.add(name)
            yield name, one


async def _read(client: KubeClient, name: RuntimeName, train_job: Manifest) -> NewManifest:
    with answered(client):
        answer = await client.get(name.target)
    if not answer.is_success:
        raise _refused(answer, name, train_job)
    return {**answer.body, "apiVersion": RUNTIME.api_version, "kind": name.kind}


def _refused(answer: Answer, name: RuntimeName, train_job: Manifest) -> AnswerError:
    named = f"{called(train_job)} names the {name.kind} {name.name}, which is"
    if answer.is_absence:
        return AnswerError(f"{named} neither in the file nor in the cluster.")
    if answer.is_unserved:
        return AnswerError(f"{named} not in the file, and the cluster may have no such kind: {answer.message}.")
    needed = f"{called(train_job)} needs the verb get on {name.target.resource}, or its {name.kind} in the file"
    kind = NotAllowedError if answer.code == HTTPStatus.FORBIDDEN else AnswerError
    return kind(f"{needed}: {answer.message}.")


def _namespace(kind: str, manifest: Manifest) -> str:
    return str(manifest["metadata"]["namespace"]) if kind == RUNTIME.kind else ""
