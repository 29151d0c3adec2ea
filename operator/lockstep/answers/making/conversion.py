"""Converts the Jobs and JobSets of a file to GangJobs, with notes about fields that could not be carried over."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from lockstep.answers.making.fields import Fields
from lockstep.answers.making.job import job_spec
from lockstep.answers.making.jobset import jobset_spec
from lockstep.answers.making.names import check_label, check_name
from lockstep.answers.making.template import labels_and_annotations
from lockstep.answers.reading.documents import read_objects
from lockstep.answers.reading.errors import AnswerError
from lockstep.api.gangjob.unsupported import unsupported
from lockstep.api.manifest import NewManifest
from lockstep.api.names import API_VERSION, GANG_KIND

_KINDS: Mapping[str, tuple[str, Callable[[Fields], NewManifest]]] = {
    "Job": ("batch/", job_spec),
    "JobSet": ("jobset.x-k8s.io/", jobset_spec),
}
_LARGEST = 10_000


class Converted(NamedTuple):
    """A GangJob that was made from a Job or JobSet.

    ``notes`` name the fields of the original that are lost or now have another meaning, and fields to add or change.
    """

    manifest: NewManifest
    notes: tuple[str, ...]


class Conversion(NamedTuple):
    """The GangJobs of a file, and a line for each document of the file that is left out."""

    gangs: list[Converted]
    left_out: tuple[str, ...]


def convert(text: str, *, name: str = "") -> Conversion:
    """Convert every Job and JobSet of a YAML or JSON file.

    ``name`` names the GangJob; the file must then have only one. Raises ``AnswerError`` if the file has no Job or
    JobSet, or if one is invalid.
    """
    documents = list(read_objects(text))
    convertible = [one for one in documents if _maker(one) is not None]
    if not convertible:
        raise AnswerError("The file has neither a Job (batch/v1) nor a JobSet (jobset.x-k8s.io).")
    if name and len(convertible) > 1:
        raise AnswerError(
            f"The file has {len(convertible)} Jobs and JobSets, which can't all get the name {name}. Leave it out."
        )
    left_out = tuple(_left_out(one, number) for number, one in enumerate(documents, 1) if _maker(one) is None)
    return Conversion([_convert(one, name) for one in convertible], left_out)


def _left_out(document: Any, number: int) -> str:
    fields = document if isinstance(document, dict) else {}
    metadata = fields.get("metadata")
    name = metadata.get("name") if isinstance(metadata, dict) else None
    what = f"{fields['kind']} {name}" if "kind" in fields and name else f"document {number}"
    return f"{what}: left out, since only Jobs (batch/v1) and JobSets (jobset.x-k8s.io) are converted."


def _maker(document: Any) -> Callable[[Fields], NewManifest] | None:
    if not isinstance(document, dict):
        return None
    group, make = _KINDS.get(str(document.get("kind")), ("", None))
    return make if str(document.get("apiVersion")).startswith(group) else None


def _convert(document: Mapping[str, Any], name: str) -> Converted:
    make = _maker(document)
    assert make is not None, "only what has a maker is converted"
    notes: list[str] = []
    whole = Fields("", document, notes)
    for servers_or_known in ("apiVersion", "kind", "status"):
        whole.take(servers_or_known)
    metadata = _metadata(whole.take_fields("metadata"), name)
    spec = make(whole.within("spec", whole.take("spec")))
    whole.leave_rest()
    _check_sizes(spec)
    notes += _refusals(spec)
    notes.append(
        "spec.work: state how long it takes, such as {serialTime: 10m}, so that other gangs can be planned after it."
    )
    manifest = {"apiVersion": API_VERSION, "kind": GANG_KIND, "metadata": metadata, "spec": spec}
    return Converted(manifest, tuple(notes))


def _metadata(metadata: Fields, name: str) -> NewManifest:
    own = metadata.take_text("name")
    namespace = metadata.take_text("namespace")
    where = {"namespace": check_label(namespace, "namespace")} if namespace else {}
    return {"name": check_name(name or own), **where, **labels_and_annotations(metadata)}


def _templates(spec: NewManifest) -> Iterable[tuple[str, NewManifest]]:
    if "roles" not in spec:
        return [("spec.template.spec", spec["template"]["spec"])]
    return [(f"spec.roles[{role['name']}].template.spec", role["template"]["spec"]) for role in spec["roles"]]


def _check_sizes(spec: NewManifest) -> None:
    sizes = [one["size"]["max"] for one in spec.get("roles", [spec])]
    if min(sizes) < 1 or sum(sizes) > _LARGEST:
        raise AnswerError(f"It would have {' and '.join(map(str, sizes))} members, and a gang has 1 to {_LARGEST}.")


def _refusals(spec: NewManifest) -> Iterable[str]:
    """A line for each part of the templates that the API server accepts but Lockstep would refuse."""
    try:
        return [f"{path}.{problem}." for path, pod in _templates(spec) for problem in unsupported(pod)]
    except (AttributeError, TypeError) as error:
        raise AnswerError(f"Its pod template is invalid: {error}.") from error
