"""Gives a running owner another number of pods, if the owner is unchanged since the decision."""

from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import NamedTuple

from lockstep.api.client.answer import Answer
from lockstep.api.client.client import KubeClient
from lockstep.api.podgang.sizing.awaiting import NewSize
from lockstep.api.podgang.sizing.sized_kind import sized_kind
from lockstep.facts.gang.keys import object_name
from lockstep.facts.gang.pod_gang import PodGang
from lockstep.facts.gang.sized_owner import SizedOwner
from lockstep.facts.gang.source import maker_of
from lockstep.report.text.sentences import n_pods


def _no_names(_: SizedOwner) -> Sequence[str]:
    return ()


class OwnerChange(NamedTuple):
    """A change of an owner from ``was`` to ``size`` pods.

    If the decision ``is_old``, the change is no longer made. If the owner ``goes_back``, it had ``size`` pods before.
    Then the change is made even if the owner's range no longer has this size, or a part of the owner's work is done.
    ``leaving`` is called with the owner as it was read. It returns the names of the pods that leave. It returns None if
    the pods have changed since the decision.
    """

    was: int
    size: int
    is_old: bool = False
    goes_back: bool = False
    leaving: Callable[[SizedOwner], Sequence[str] | None] = _no_names


class OwnerAnswer(NamedTuple):
    """The result of a change of an owner.

    ``why_not`` is a clause that says why the owner does not have the size; '' if it has it.

    If ``may_pass``, another try may succeed. ``is_made`` says that this try has changed the owner.
    """

    why_not: str = ""
    may_pass: bool = False
    is_made: bool = False


async def resize_owner(
    client: KubeClient, gang: PodGang, change: OwnerChange, *, is_dry_run: bool = False
) -> OwnerAnswer:
    """Change the number of pods of the owner for which a Gang is made, or only try it with a dry run.

    Raises ``ApiUnavailableError``.
    """
    made = maker_of(object_name(gang.key))
    kind = None if made is None else sized_kind(made[0])
    if made is None or kind is None or kind.elastic is None:
        return OwnerAnswer("the number of its pods can't be changed")
    target = kind.owner.target(gang.key.namespace, made[1])
    found, named = await client.get(target), f"{kind.owner.kind} {made[1]}"
    if not found.is_success:
        return OwnerAnswer(f"{named} can't be read: {found.message.rstrip('.')}", may_pass=_may_pass(change, found))
    owner = kind.parse(found.body, is_ending=change.goes_back)
    why_not = _why_not(named, owner, gang, change)
    if why_not or (owner.elastic is not None and owner.elastic.pods == change.size):
        return OwnerAnswer(why_not)
    leaving = change.leaving(owner)
    if leaving is None:
        return OwnerAnswer("its pods have changed since this decision")
    send = client.dry_run_of_patch if is_dry_run else client.patch
    answer = await send(target, kind.elastic.resized(found.body, NewSize(change.size, _first(gang, owner), leaving)))
    return OwnerAnswer(is_made=True) if answer.is_success else _refused(named, change, answer)


def _first(gang: PodGang, owner: SizedOwner) -> int:
    """The number of pods with which the owner began, according to the Gang.

    If the Gang was created anew since then, the owner states the number.
    """
    said = 0 if owner.elastic is None else owner.elastic.first
    return said if gang.status.first_size is None else gang.status.first_size


def _refused(named: str, change: OwnerChange, answer: Answer) -> OwnerAnswer:
    why_not = f"{named} can't be changed to {n_pods(change.size)}: {answer.message.rstrip('.')}"
    return OwnerAnswer(why_not, may_pass=_may_pass(change, answer))


def _may_pass(change: OwnerChange, refusal: Answer) -> bool:
    """Whether another try may succeed after a refusal.

    Nothing is lost if a new size is given up, so it is tried again only after a conflict. An owner that goes back has
    more pods than it has room for. So it must be changed, and is tried again as long as it exists.
    """
    if refusal.is_absence:
        return False
    return change.goes_back or refusal.code == HTTPStatus.CONFLICT


def _why_not(named: str, owner: SizedOwner, gang: PodGang, change: OwnerChange) -> str:
    """Why the owner must not be changed, as a clause; '' if it may be, or if it already has the size."""
    if owner.elastic is None or owner.uid != gang.made_for:
        return f"{named} no longer allows changes of its number of pods"
    if owner.elastic.pods == change.size:
        return ""
    if owner.elastic.pods != change.was:
        return f"{named} now has {n_pods(owner.elastic.pods)}"
    if change.size not in owner.sizes and not change.goes_back:
        return f"{named} does not allow {n_pods(change.size)} any more"
    return "the decision is too old" if change.is_old else ""
