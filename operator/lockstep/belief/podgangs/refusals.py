"""Why the pods of a Gang can't be placed together, as sentences that name pods."""

from collections.abc import Sequence

from lockstep.belief.podgangs.pod_group import AlikePods
from lockstep.facts.gang.gang import Refusal
from lockstep.facts.gang.pod_gang import PodGangSpec, WaitingPod
from lockstep.facts.reasons import Reason

# As many as a GangJob may have roles.
MOST_KINDS = 8


def refusal_of_pods(alike: Sequence[tuple[AlikePods, int, WaitingPod]], asks: PodGangSpec) -> Refusal | None:
    """Why these pods can't be planned together, if they can't."""
    of_one = next((one.needs for one, _, _ in alike if isinstance(one.needs, Refusal)), None)
    return (
        of_one
        or _many_kinds(alike)
        or _several_sources(alike)
        or (None if asks.priority_class else _several_classes(alike))
    )


def _many_kinds(alike: Sequence[tuple[AlikePods, int, WaitingPod]]) -> Refusal | None:
    if len(alike) <= MOST_KINDS:
        return None
    (_, _, one), (_, _, other), *_ = alike
    message = (
        f"Its pods that wait are of more than {MOST_KINDS} kinds, such as pod {one.name} and pod {other.name}: pods are "
        "of one kind if they ask for the same. Give them equal requests, or several Gangs."
    )
    return Refusal(Reason.INVALID_SPEC, message)


def _several_sources(alike: Sequence[tuple[AlikePods, int, WaitingPod]]) -> Refusal | None:
    found = {one.source: pod.name for one, _, pod in alike}
    if len(found) <= 1:
        return None
    (one, pod), (other, other_pod), *_ = sorted(found.items())
    message = (
        f"Two sources name this Gang: pod {pod} belongs to it by {one}, and pod {other_pod} by {other}. Give one of "
        "them another name."
    )
    return Refusal(Reason.INVALID_SPEC, message)


def _several_classes(alike: Sequence[tuple[AlikePods, int, WaitingPod]]) -> Refusal | None:
    found = {one.priority_class: pod.name for one, _, pod in alike}
    if len(found) <= 1:
        return None
    (one, pod), (other, other_pod), *_ = sorted(found.items())
    message = (
        f"All pods of a Gang have one priority: pod {pod} has the priority class {one or 'of none'}, and pod "
        f"{other_pod} has {other}. Write priorityClassName in the Gang."
    )
    return Refusal(Reason.INVALID_SPEC, message)
