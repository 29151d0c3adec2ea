"""Refusals of a Gang whose pods can't be placed together, as sentences that name pods."""

from collections.abc import Sequence

from lockstep.belief.podgangs.own_pods import PodsAlike
from lockstep.belief.podgangs.pod_shapes import PodShape
from lockstep.facts.gang.gang import Refusal
from lockstep.facts.reasons import Reason

# The most kinds of pods of a Gang; a GangJob has at most this number of roles, too.
MOST_KINDS = 8


def refusal_of_pods(alike: Sequence[PodsAlike], priority_class: str) -> Refusal | None:
    """Why these pods of a Gang can't be planned together; None if they can.

    ``priority_class`` is the class of the Gang; '' stands for any class.
    """
    of_one = next((one.kind.needs for one in alike if isinstance(one.kind.needs, Refusal)), None)
    return (
        of_one
        or _many_kinds(alike)
        or _several_sources(alike)
        or _several_classes(alike)
        or _other_class(alike, priority_class)
    )


def refusal_of_shapes(shapes: Sequence[PodShape]) -> Refusal | None:
    """The refusal if there are too many shapes; None otherwise. Pods of different roles are different shapes."""
    if len(shapes) <= MOST_KINDS:
        return None
    message = (
        f"Its waiting pods are of more than {MOST_KINDS} kinds: pods are of one kind if their requests and their roles "
        "are equal. Give pods of one role equal requests, or use fewer roles."
    )
    return Refusal(Reason.INVALID_SPEC, message)


def _many_kinds(alike: Sequence[PodsAlike]) -> Refusal | None:
    if len(alike) <= MOST_KINDS:
        return None
    one, other, *_ = alike
    message = (
        f"Its waiting pods are of more than {MOST_KINDS} kinds, such as pod {one.one} and pod {other.one}: pods are of "
        "one kind if their requests are equal. Give the pods equal requests, or use several Gangs."
    )
    return Refusal(Reason.INVALID_SPEC, message)


def _several_sources(alike: Sequence[PodsAlike]) -> Refusal | None:
    found = {one.kind.source: one.one for one in alike}
    if len(found) <= 1:
        return None
    (one, pod), (other, other_pod), *_ = sorted(found.items())
    message = (
        f"Two sources name this Gang: pod {pod} belongs to it by {one}, and pod {other_pod} by {other}. Use "
        "another name in one of the sources."
    )
    return Refusal(Reason.INVALID_SPEC, message)


def _several_classes(alike: Sequence[PodsAlike]) -> Refusal | None:
    found = {one.kind.priority_class: one.one for one in alike}
    if len(found) <= 1:
        return None
    (one, pod), (other, other_pod), *_ = sorted(found.items())
    message = (
        f"All pods of a Gang have one priority: pod {pod} has {_class(one)}, and pod {other_pod} has "
        f"{_class(other)}. Give them one class."
    )
    return Refusal(Reason.INVALID_SPEC, message)


def _other_class(alike: Sequence[PodsAlike], wanted: str) -> Refusal | None:
    one = next((one for one in alike if wanted and one.kind.priority_class != wanted), None)
    if one is None:
        return None
    message = (
        f"priorityClassName: the Gang has {_class(wanted)}, and pod {one.one} has {_class(one.kind.priority_class)}. "
        "Give the pods the priority class of the Gang."
    )
    return Refusal(Reason.INVALID_SPEC, message)


def _class(name: str) -> str:
    return f"the priority class {name}" if name else "no priority class"
