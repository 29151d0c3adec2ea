"""The pods of an owner that waits for a size, as the operator would plan them. The owner is in a file."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from lockstep.answers.reading.errors import AnswerError
from lockstep.answers.supposing.manifests import called
from lockstep.answers.supposing.named_pods import NamedPods
from lockstep.answers.supposing.owner_kinds import SOURCES, kind_of
from lockstep.answers.supposing.supposed_pods import supposed_pods
from lockstep.api.manifest import Manifest
from lockstep.api.podgang.gang_names import NamedGang
from lockstep.api.podgang.made_gang import size_range
from lockstep.api.podgang.section import FieldError, Section
from lockstep.api.podgang.sizing.sized_kind import SizedKind, sized_kind
from lockstep.api.unreadable.unreadable_objects import describe
from lockstep.belief.podgangs.own_pods import PodsAlike, SizedPods
from lockstep.belief.podgangs.pod_group import alone
from lockstep.facts.gang.keys import object_name
from lockstep.facts.gang.sized_owner import SizedOwner


class SupposedSize(NamedTuple):
    """An owner that waits for a size, and the pods that it would have. If there is a ``problem``, ``pods`` is None."""

    kind: SizedKind
    owner: SizedOwner
    pods: SizedPods | None
    problem: str = ""


def supposed_size(owner: Manifest, now: float) -> SupposedSize | None:
    """The size and the pods with which the operator would plan an owner.

    ``owner`` is in the form in which the API server would store it. The answer is None if the owner does not wait for a
    size, or if its annotation is no range of sizes. Raises ``AnswerError`` or ``FieldError``.
    """
    source = SOURCES.get(kind_of(owner))
    kind = None if source is None else sized_kind(source)
    if kind is None or not _has_range(owner) or not (kind.awaits_size(owner) or kind.awaits_size_in_queue(owner)):
        return None
    # This supposes that Kueue has given the owner quota.
    fact = kind.parse(owner)._replace(awaits_size=True, is_queued=False)
    problem = kind.problem(owner)
    if problem:
        return SupposedSize(kind, fact, None, problem)
    first, varying = _pods(kind, owner, now)
    return SupposedSize(kind, fact, None if varying is None else SizedPods(varying, first, fact.sizes))


def _has_range(owner: Manifest) -> bool:
    try:
        size_range(Section(owner).section("metadata").texts("annotations"))
    except FieldError:
        raise
    except (LookupError, ValueError):
        return False
    return True


def _pods(kind: SizedKind, owner: Manifest, now: float) -> tuple[Sequence[PodsAlike], PodsAlike | None]:
    """The pod that exists at any size, if the kind has one, and one of the pods whose number varies."""
    *first, varying = (_alone(kind, owner, named, now) for named in _named(kind, owner))
    return [one for one in first if one is not None], varying


def _alone(kind: SizedKind, owner: Manifest, named: NamedPods, now: float) -> PodsAlike | None:
    [pod] = supposed_pods(named, kind.parse(owner).gang, now)
    return alone(pod)


def _named(kind: SizedKind, owner: Manifest) -> Iterator[NamedPods]:
    """The pods that the controller would create for each template, with the places of the templates."""
    templates = [one.template for one in kind.owner.first(Section(owner)) if one.template is not None]
    for template in templates:
        template.section("metadata").texts("labels")
        template.section("spec").sections("containers")
    gang = NamedGang(object_name(kind.parse(owner).gang), kind.source)
    for template, pod in zip(templates, _as_created(kind, owner), strict=True):
        section = Section({"metadata": pod["metadata"], "spec": pod["spec"]}, template.path)
        yield NamedPods(gang=gang, is_made=True, number=1, template=section, of=called(owner))


def _as_created(kind: SizedKind, owner: Manifest) -> list[Manifest]:
    try:
        first = [] if kind.first_pod is None else [kind.first_pod(owner)]
        return [*first, kind.pod(owner)]
    except (LookupError, TypeError, AttributeError, ValueError) as error:
        raise AnswerError(f"{called(owner)} is invalid: {describe(error)}.") from error
