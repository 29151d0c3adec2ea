"""Terms of a group of pods that only annotations of these pods describe, and refusals of such terms."""

from bisect import bisect_left, insort
from collections.abc import Sequence
from itertools import islice
from operator import itemgetter
from typing import NamedTuple

from lockstep.api.podgang.kueue_group import TOTAL_COUNT
from lockstep.facts.gang.gang import Refusal
from lockstep.facts.gang.pod_gang import GroupedPod, GroupTerms
from lockstep.facts.pods.pod import PodKey
from lockstep.facts.ranks import MOST_RANKS
from lockstep.facts.reasons import Reason


class SharedTerms(NamedTuple):
    """Terms, the number of pods that have them, and one of these pods with its UID."""

    terms: GroupTerms
    pods: int
    one: PodKey
    uid: str


class TermsOfPods:
    """The terms of the pods of a group that have not ended and are not being deleted."""

    def __init__(self) -> None:
        self._uids: dict[GroupTerms, dict[PodKey, str]] = {}
        # The keys are sorted: an updated pod is entered again, and this must not change messages.
        self._keys: dict[GroupTerms, list[PodKey]] = {}

    def enter(self, pod: GroupedPod) -> None:
        """Add a pod."""
        terms = pod.group.terms
        if terms is not None and not (pod.has_ended or pod.is_deleting):
            self._uids.setdefault(terms, {})[pod.key] = pod.uid
            insort(self._keys.setdefault(terms, []), pod.key)

    def leave(self, pod: GroupedPod) -> None:
        """Remove a pod; ``pod`` must be the fact with which it was added."""
        terms = pod.group.terms
        if terms is None or self._uids.get(terms, {}).pop(pod.key, None) is None:
            return
        del self._keys[terms][bisect_left(self._keys[terms], pod.key)]
        if not self._uids[terms]:
            del self._uids[terms], self._keys[terms]

    def some(self) -> Sequence[SharedTerms]:
        """The terms of the group; two different terms if the pods disagree, and none if no pod has terms.

        So a message about the terms costs the same even if each pod has its own terms.
        """
        found = sorted(((keys[0], terms) for terms, keys in islice(self._keys.items(), 2)), key=itemgetter(0))
        return tuple(SharedTerms(terms, len(self._keys[terms]), one, self._uids[terms][one]) for one, terms in found)


def refusal_of_terms(found: Sequence[SharedTerms]) -> Refusal | None:
    """Why the pods of a group can't be planned by their terms; None if they can."""
    if not found:
        return None
    message = _contradiction(*found) if len(found) > 1 else _nonsense(found[0]) or _surplus(found[0])
    return Refusal(Reason.INVALID_SPEC, message) if message else None


def _contradiction(one: SharedTerms, other: SharedTerms) -> str:
    says, other_says = dict(one.terms.annotations), dict(other.terms.annotations)
    name = next(name for name in (*says, *other_says) if says.get(name) != other_says.get(name))
    text, other_text = (_text(found.get(name)) for found in (says, other_says))
    return (
        f"All pods of a group must have the same annotations: {name} is {text} in pod {one.one.name}, and {other_text} "
        "in pod "
        f"{other.one.name}."
    )


def _nonsense(one: SharedTerms) -> str:
    if one.terms.total:
        return ""
    text = _text(dict(one.terms.annotations).get(TOTAL_COUNT))
    return f"Annotation {TOTAL_COUNT} is {text} in pod {one.one.name}: write a number from 1 to {MOST_RANKS}."


def _surplus(one: SharedTerms) -> str:
    if one.pods <= one.terms.total:
        return ""
    return (
        f"{one.pods} pods name the group, and annotation {TOTAL_COUNT} says {one.terms.total}. Delete the surplus pods."
    )


def _text(value: str | None) -> str:
    return "missing" if value is None else repr(value)
