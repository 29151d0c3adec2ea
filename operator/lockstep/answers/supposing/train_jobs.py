"""Makes the objects that Kubeflow's Trainer makes for TrainJobs of a file.

These are a JobSet for each, and a PodGroup if the runtime asks for one.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from lockstep.answers.reading.errors import AnswerError
from lockstep.answers.supposing.manifests import called
from lockstep.answers.supposing.merged import merged
from lockstep.answers.supposing.owner_kinds import RUNTIMES, TRAIN_JOB, kind_of
from lockstep.answers.supposing.runtimes import runtime_named_by, runtimes_in
from lockstep.api.manifest import Manifest, NewManifest
from lockstep.api.podgang.gang_names import POD_GROUP_LABEL
from lockstep.api.podgang.owners import OWNERS, OwnerKind
from lockstep.api.podgang.section import FieldError, Section
from lockstep.facts.gang.source import Source

_STEP = "trainer.kubeflow.org/trainjob-ancestor-step"
_TRAINER = "trainer"
# Trainer makes only one Job for each of these steps, whatever the runtime says.
_SINGLE_STEPS = (_TRAINER, "dataset-initializer", "model-initializer")
# The name of the Job whose pods compute, and of its container.
_NODE = "node"


def with_train_jobs_made(manifests: Iterable[NewManifest], sources: Collection[Source]) -> list[NewManifest]:
    """The same objects, but TrainJobs and runtimes are replaced by the objects that Trainer makes.

    Raises ``AnswerError``.
    """
    manifests = tuple(manifests)
    runtimes, result = runtimes_in(manifests), list[NewManifest]()
    for one in manifests:
        if kind_of(one) == TRAIN_JOB:
            name = runtime_named_by(one)
            if name not in runtimes:
                raise AnswerError(f"{called(one)} names the {name.kind} {name.name}, which is not in the file.")
            result += _made(one, runtimes[name], sources)
        elif kind_of(one) not in RUNTIMES:
            result.append(one)
    if manifests and not result:
        raise AnswerError(f"{called(manifests[0])} creates no pods without a {TRAIN_JOB.kind}.")
    return result


def _made(train_job: Manifest, runtime: Manifest, sources: Collection[Source]) -> Iterator[NewManifest]:
    try:
        asked = _Asked.of(Section(train_job).section("spec"), Section(runtime).section("spec"))
        jobs = [asked.job(one) for one in asked.template.section("spec").sections("replicatedJobs")]
        # If PodGroups are not a source and JobSets are, the pods belong to the Gang of their JobSet.
        if asked.has_group and (Source.POD_GROUP in sources or Source.JOB_SET not in sources):
            jobs = [_in_group(job, train_job["metadata"]["name"]) for job in jobs]
            members = sum(job["template"]["spec"]["parallelism"] for job in jobs)
            yield _object(OWNERS[Source.POD_GROUP], train_job, {}, {"minMember": members})
        spec = {**asked.template.section("spec").fields, "replicatedJobs": jobs, "suspend": asked.is_suspended}
        yield _object(OWNERS[Source.JOB_SET], train_job, asked.annotations(), spec)
    except FieldError as error:
        raise AnswerError(f"{called(train_job)} of {called(runtime)}: {error}.") from error


def _object(
    kind: OwnerKind, train_job: Manifest, annotations: Mapping[str, str], spec: Mapping[str, Any]
) -> NewManifest:
    about = {name: train_job["metadata"][name] for name in ("name", "namespace")}
    return {
        "apiVersion": kind.api_version,
        "kind": kind.kind,
        "metadata": {**about, "annotations": dict(annotations)},
        "spec": dict(spec),
    }


class _Asked(NamedTuple):
    """The fields of a TrainJob and of its runtime that determine what Trainer makes."""

    trainer: Section
    policy: Section
    has_policy: bool
    template: Section
    patches: tuple[Section, ...]
    has_group: bool
    is_suspended: bool

    @classmethod
    def of(cls, spec: Section, runtime: Section) -> "_Asked":
        """Read the fields of the two specs. Raises ``FieldError``."""
        patches = (one.section("trainingRuntimeSpec").section("template") for one in spec.sections("runtimePatches"))
        return cls(
            trainer=spec.section("trainer"),
            policy=runtime.section("mlPolicy"),
            has_policy=runtime.fields.get("mlPolicy") is not None,
            template=runtime.section("template"),
            patches=tuple(patches),
            has_group=runtime.section("podGroupPolicy").fields.get("coscheduling") is not None,
            is_suspended=spec.has("suspend"),
        )

    def annotations(self) -> dict[str, str]:
        """The annotations of the JobSet. The JobSet does not get the annotations of the TrainJob itself."""
        found = dict[str, str]()
        for one in (self.template, *self.patches):
            found |= one.section("metadata").texts("annotations")
        return found

    def job(self, replicated: Section) -> dict[str, Any]:
        """One of the JobSet's Jobs, with the numbers and resources that the TrainJob states."""
        patched = self._patched(replicated)
        template = patched.section("template")
        step = template.section("metadata").section("labels").text(_STEP)
        pods = self._pods(replicated.text("name"), step, template.section("spec"))
        pod = self._with_amounts(replicated.text("name"), step, template.section("spec").section("template"))
        spec = {**template.section("spec").fields, "parallelism": pods, "completions": pods, "template": pod}
        single = {"replicas": 1} if step in _SINGLE_STEPS else {}
        return {**patched.fields, **single, "template": {**template.fields, "spec": spec}}

    def _patched(self, replicated: Section) -> Section:
        template = replicated.section("template").fields
        for patch in self.patches:
            for one in patch.section("spec").sections("replicatedJobs"):
                if one.text("name") == replicated.text("name"):
                    template = merged(template, one.section("template").fields)
        return Section({**replicated.fields, "template": template}, replicated.path)

    def _pods(self, name: str, step: str, job: Section) -> int:
        is_sized = name == _NODE if self.policy.fields.get("mpi") is not None else step == _TRAINER
        if is_sized and self.trainer.has("numNodes"):
            asked = self.trainer.number("numNodes", otherwise=1)
            return max(asked - 1, 1) if self._launcher_is_node else asked
        if step == _TRAINER and self.has_policy:
            return self.policy.number("numNodes", otherwise=1)
        return job.number("parallelism", otherwise=1)

    @property
    def _launcher_is_node(self) -> bool:
        return self.policy.section("mpi").has("runLauncherAsNode")

    def _with_amounts(self, name: str, step: str, template: Section) -> Manifest:
        """The template with the resources that the TrainJob requests for each of its nodes."""
        amounts = self.trainer.section("resourcesPerNode")
        is_node = step == _TRAINER or (self._launcher_is_node and name == _NODE)
        if not is_node or not (amounts.has("requests") or amounts.has("limits")):
            return template.fields
        pod = template.section("spec")
        containers = [
            {**one.fields, "resources": amounts.fields} if one.text("name") == _NODE else one.fields
            for one in pod.sections("containers")
        ]
        return {**template.fields, "spec": {**pod.fields, "containers": containers}}


def _in_group(job: Manifest, name: str) -> dict[str, Any]:
    """The Job with pods that name the PodGroup."""
    labels = {"metadata": {"labels": {POD_GROUP_LABEL: name}}}
    return merged(job, {"template": {"spec": {"template": labels}}})
