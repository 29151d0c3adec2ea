"""The clauses of refusals that say how much room there is, and which gangs or nodes stand in the way."""

from collections.abc import Sequence

from coschedule import Blocker, HeldByLastingPods, NotEnoughRoom, TooLittle
from lockstep.api.preemption import gang_name
from lockstep.report.text.admission import format_amount
from lockstep.report.text.sentences import n_nodes

_MOST_FAILURES = 3


def nodes_failing(failures: Sequence[tuple[str, int]]) -> str:
    """``12 without gpu=a100, 3 cordoned``: the three most frequent failures in their given order, and the others."""
    named = set(sorted(failures, key=lambda failure: -failure[1])[:_MOST_FAILURES])
    words = [f"{count} {phrase}" for phrase, count in failures if (phrase, count) in named]
    others = sum(count for _, count in failures) - sum(count for _, count in named)
    return ", ".join([*words, f"{others} for other reasons"] if others else words)


def in_the_way(blocker: Blocker) -> str:
    """``default/nowork holds 12 nodes and has no known end, like 2 other gangs``."""
    others = f", like {_other_gangs(blocker.others)}" if blocker.others else ""
    return f"{gang_name(blocker.gang)} holds {n_nodes(blocker.nodes)} and has no known end{others}"


def in_front_of_it(blocker: Blocker) -> str:
    """``default/nowork, which is in front, holds 12 nodes, and 2 other gangs hold more``."""
    hold = "holds" if blocker.others == 1 else "hold"
    others = f", and {_other_gangs(blocker.others)} {hold} more" if blocker.others else ""
    return f"{gang_name(blocker.gang)}, which is in front, holds {n_nodes(blocker.nodes)}{others}"


def why_never_free(blocker: Blocker | None = None) -> str:
    """A clause about the nodes of gangs in front: why these nodes are never free for the gang."""
    if blocker is not None and not blocker.others:
        return ": that gang has no known end, holds them until they close, or keeps them free for itself"
    return ": those gangs have no known end, hold nodes until these close, or keep them free for themselves"


def of_scarcest(refusal: NotEnoughRoom | HeldByLastingPods) -> str:
    """``; cpu: 20 × 6 needed, 12 × 6 free``; without a member's amount if it is 1 or has no unit."""
    scarcest = refusal.scarcest
    if scarcest is None:
        return ""
    is_plain = scarcest.each == 1 or _has_no_unit(scarcest.resource)
    each = "" if is_plain else f" × {format_amount(scarcest.resource, scarcest.each)}"
    return f"; {scarcest.resource}: {refusal.needed}{each} needed, {scarcest.fit}{each} free"


def of_too_little(too_little: TooLittle | None) -> str:
    """``; cpu: 12 needed, 9 free``."""
    if too_little is None:
        return ""
    resource, amounts = too_little.resource, (too_little.needed, too_little.free)
    needed, free = amounts if _has_no_unit(resource) else (format_amount(resource, amount) for amount in amounts)
    return f"; {resource}: {needed} needed, {free} free"


def _other_gangs(count: int) -> str:
    return "1 other gang" if count == 1 else f"{count} other gangs"


def _has_no_unit(resource: str) -> bool:
    """Whether the resource is one of Lockstep's own, such as a host port. Amounts of such resources have no unit."""
    return " " in resource
