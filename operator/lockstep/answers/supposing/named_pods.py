"""The pods of an object in a file, and their Gang, which their template or their owner names."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from lockstep.answers.reading.errors import AnswerError
from lockstep.answers.supposing.manifests import called
from lockstep.answers.supposing.owner_kinds import SOURCES, WITHOUT_SOURCE, kind_of
from lockstep.api.manifest import Manifest
from lockstep.api.podgang.first_pods import FirstPods
from lockstep.api.podgang.gang_names import NamedGang, gang_named_by
from lockstep.api.podgang.owners import OWNERS
from lockstep.api.podgang.section import Section
from lockstep.facts.gang.source import Source, made_name

# The most groups of an owner. Each group is a Gang with an answer of its own.
_MOST_GROUPS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedPods:
    """``number`` pods of one template, and the Gang that they belong to. ``of`` is their owner, or the pod itself.

    If ``is_made``, the operator makes the Gang for that object. ``role`` is the name of their role, given by their
    controller.
    """

    gang: NamedGang
    is_made: bool
    number: int
    template: Section
    of: str
    role: str = ""

    @property
    def name(self) -> str:
        """The name of the pod, if the file has the pod itself.

        For pods of a template, it is the place of the template in the owner. No real pod can have this name.
        """
        if not self.template.path:
            return self.template.section("metadata").text("name")
        return f"of {self.gang.gang if self.gang.source is Source.SINGLE else self.of}: {self.template.path}"


def pods_of(manifest: Manifest, sources: Collection[Source]) -> list[NamedPods]:
    """The pods that an object makes at once.

    Their Gang follows from the operator's sources. If they have no Gang by these sources, all sources that Lockstep
    knows are tried. Raises ``AnswerError`` if there are no pods, and ``FieldError`` for an invalid field.
    """
    found = list(_named(manifest, sources))
    if not found:
        raise AnswerError(f"{called(manifest)} creates no pods at first, so Lockstep has nothing to plan.")
    return found


def _named(manifest: Manifest, sources: Collection[Source]) -> Iterator[NamedPods]:
    owner, pods = Section(manifest), _first(manifest)
    for made in _groups(manifest, owner):
        for number, template, _, role, _ in pods:
            if number and template is not None:
                gang, of = _gang(template, sources, made), called(manifest)
                if gang is None:
                    yield from _singles(manifest, number, template)
                else:
                    is_made = gang is made or gang.source is Source.KUEUE_GROUP
                    yield NamedPods(gang=gang, is_made=is_made, number=number, template=template, of=of, role=role)


def _singles(manifest: Manifest, number: int, template: Section) -> Iterator[NamedPods]:
    """Yield pods that are gangs of one pod each."""
    name, of = manifest["metadata"]["name"], called(manifest)
    if number > _MOST_GROUPS:
        raise AnswerError(f"{of} makes {number} gangs of one pod, and {_MOST_GROUPS} at most can be planned.")
    for index in range(number):
        pod = f"{name}-{index}" if template.path else name
        gang = NamedGang(made_name(Source.SINGLE, pod), Source.SINGLE)
        yield NamedPods(gang=gang, is_made=True, number=1, template=template, of=of)


def _first(manifest: Manifest) -> Sequence[FirstPods]:
    kind = kind_of(manifest)
    first = WITHOUT_SOURCE[kind] if kind in WITHOUT_SOURCE else OWNERS[SOURCES[kind]].first
    return first(Section(manifest))


def _groups(manifest: Manifest, owner: Section) -> Iterator[NamedGang | None]:
    """The Gangs that the operator makes for an owner; None if it makes no Gang for owners of this kind."""
    source, name = SOURCES.get(kind_of(manifest)), manifest["metadata"]["name"]
    if source is None:
        yield None
        return
    count_groups = OWNERS[source].groups
    if count_groups is None:
        yield NamedGang(made_name(source, name), source)
        return
    groups = count_groups(owner)
    if groups > _MOST_GROUPS:
        raise AnswerError(f"{called(manifest)} has {groups} groups, and {_MOST_GROUPS} at most can be planned.")
    for group in range(groups):
        yield NamedGang(made_name(source, f"{name}.{group}"), source)


def _gang(template: Section, sources: Collection[Source], made: NamedGang | None) -> NamedGang | None:
    """The Gang that the pods belong to; None for gangs of one pod.

    The Gang follows from the operator's sources. If there is none by these sources, all sources that Lockstep knows are
    tried. ``made`` is the Gang that the operator makes for the owner. If it is given, groups that the pods name for
    Kueue have no effect, because Kueue queues such an owner as a whole.
    """
    group = template.section("spec").section("schedulingGroup").text("podGroupName")
    labels = template.section("metadata").texts("labels")
    pod = {"metadata": {"labels": labels}, "spec": {"schedulingGroup": {"podGroupName": group}}}
    others = {Source.SINGLE} if made is None else {source for source in Source if source.is_of_pods}
    for known in (frozenset(sources) - others, frozenset(Source) - others):
        by_label = gang_named_by(pod, known)
        found = by_label or (made if made is not None and made.source in known else None)
        if found is not None:
            return found
    return None
