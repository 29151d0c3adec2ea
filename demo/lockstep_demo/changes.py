"""Finds the changes of gangs between two reads of the cluster, and describes each change in one line."""

from collections.abc import Iterator

from lockstep_demo.sight import GangSight, PodCounts, Sight

# A start that is planned again from the same facts may differ by rounding.
SAME_START_SECONDS = 1.5
NO_PODS = PodCounts(bound=0, running=0, finished=0)


def changes(before: Sight, after: Sight) -> Iterator[tuple[str, str]]:
    """Yield the name of a gang and a sentence, for each change of a gang between the two reads."""
    known = {gang.name: gang for gang in before.gangs}
    for gang in after.gangs:
        for line in _of_gang(known.get(gang.name), gang):
            yield gang.name, line


def _of_gang(before: GangSight | None, gang: GangSight) -> Iterator[str]:
    if _is_new_plan(before, gang):
        yield _plan(gang)
    if gang.size is None:
        return
    yield from _of_pods(before, gang)
    if gang.complete.status == "True" and (before is None or before.complete.status != "True"):
        yield gang.complete.message


def _is_new_plan(before: GangSight | None, gang: GangSight) -> bool:
    if not gang.planned.message:
        return False
    if before is not None and before.planned.status == gang.planned.status == "False":
        # The numbers of a refusal change with every node that becomes free.
        return False
    if before is None or (before.planned.status, before.planned.reason) != (gang.planned.status, gang.planned.reason):
        return True
    if before.start is None or gang.start is None:
        return before.planned.message != gang.planned.message
    return before.nodes != gang.nodes or abs(before.start - gang.start) > SAME_START_SECONDS


def _plan(gang: GangSight) -> str:
    if gang.planned.status == "True":
        return gang.planned.message
    return f"Cannot be placed. {gang.planned.message}"


def _of_pods(before: GangSight | None, gang: GangSight) -> Iterator[str]:
    size = gang.size
    old = NO_PODS if before is None else before.pods
    bound = gang.pods.bound == size != old.bound
    running = gang.pods.running == size != old.running
    if bound and running:
        yield f"{size} of {size} pods are bound and run."
    elif bound:
        yield f"{size} of {size} pods are bound."
    elif running:
        yield f"{size} of {size} pods run."
