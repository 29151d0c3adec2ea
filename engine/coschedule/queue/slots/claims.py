"""Claims, which take resources of nodes for some time, and the resources that they leave."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from coschedule.model.numbers import BoolArray, FloatArray, IntArray
from coschedule.queue.slots.segments import change, is_first, is_last, rows_as_bytes, running_sum
from coschedule.queue.slots.spans import Spans


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Claim:
    """``counts[i]`` members that each take ``request[r]`` on the node of rank ``ranks[i]``, from start to finish.

    The ranks are distinct, and ``finish`` may be inf. With ``closes``, these nodes take no other members meanwhile.
    """

    ranks: IntArray
    counts: IntArray
    request: IntArray
    start: float
    finish: float
    closes: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Groups:
    """Groups of nodes of one class with the same claims.

    Axes: group ``g``, node ``k``, and entry ``j`` for each claim on a group, by group. Group ``g`` has ``width[g]``
    nodes, which were of class ``parent[g]``. The node of rank ``ranks[k]`` is in group ``group_of[k]``. The claim of
    index ``claim[j]`` takes the resources of ``counts[j]`` members on each node of group ``owner[j]``.
    """

    parent: IntArray
    width: IntArray
    ranks: IntArray
    group_of: IntArray
    owner: IntArray
    claim: IntArray
    counts: IntArray


class Taken(NamedTuple):
    """``amounts[k, r]`` are taken of the node of rank ``ranks[k]``; a claim requests some if ``wanted[k, r]``."""

    ranks: IntArray
    amounts: IntArray
    wanted: BoolArray


def taken_together(claims: Sequence[Claim]) -> Taken:
    """Add up the resources that claims take of each node."""
    ranks = np.concatenate([claim.ranks for claim in claims])
    amounts = np.concatenate([claim.counts[:, np.newaxis] * claim.request for claim in claims])
    wanted = np.concatenate([np.repeat(claim.request[np.newaxis] > 0, len(claim.ranks), axis=0) for claim in claims])
    if len(claims) == 1:
        return Taken(ranks, amounts, wanted)
    distinct, node = np.unique(ranks, return_inverse=True)
    together = Taken(distinct, np.zeros_like(amounts[: len(distinct)]), np.zeros_like(wanted[: len(distinct)]))
    np.add.at(together.amounts, node, amounts)
    np.logical_or.at(together.wanted, node, wanted)
    return together


def group_nodes(class_of: IntArray, claims: Sequence[Claim]) -> Groups:
    """Group the nodes on which there is a claim; ``class_of[rank]`` is the class of each node."""
    ranks, entries, bounds = _claims_by_node(claims)
    numbers: dict[tuple[int, bytes], int] = {}
    alike = zip(class_of[ranks].tolist(), rows_as_bytes(entries, bounds), strict=True)
    group_of = np.array([numbers.setdefault(one, len(numbers)) for one in alike])
    _, example = np.unique(group_of, return_index=True)
    length = bounds[example + 1] - bounds[example]
    owner = np.arange(len(example)).repeat(length)
    of_examples = np.arange(len(owner)) + (bounds[example] + length - length.cumsum())[owner]
    return Groups(
        parent=np.array([parent for parent, _ in numbers]),
        width=np.bincount(group_of),
        ranks=ranks,
        group_of=group_of,
        owner=owner,
        claim=entries[of_examples, 0],
        counts=entries[of_examples, 1],
    )


def _claims_by_node(claims: Sequence[Claim]) -> tuple[IntArray, IntArray, IntArray]:
    """List the ranks of nodes with a claim, their claims, and the index at which the claims of each node begin.

    A claim is listed as its index and its number of members. The last bound is the number of all entries.
    """
    rank = np.concatenate([claim.ranks for claim in claims])
    index = np.repeat(np.arange(len(claims)), [len(claim.ranks) for claim in claims])
    order = np.argsort(rank, kind="stable")
    entries = np.stack([index, np.concatenate([claim.counts for claim in claims])], axis=1)[order]
    first = np.flatnonzero(is_first(rank[order]))
    return rank[order][first], entries, np.append(first, len(entries))


def cut(spans: Spans, groups: Groups, claims: Sequence[Claim]) -> Spans:
    """Cut the spans of each group where claims begin and end, and subtract the resources that the claims take."""
    owner, begin, gain = _changes(spans, groups, claims)
    order = _in_order(owner, begin, len(spans.owner))
    owner, begin = owner[order], begin[order]
    left = running_sum(gain[order], owner)
    last = np.flatnonzero(is_last(owner) | (np.append(begin[1:], np.inf) > begin))
    is_open = (left[last, -2] > 0) & (left[last, -1] == 0)
    return Spans(owner=owner[last], begin=begin[last], free=left[last, :-2], open=is_open)


def _changes(spans: Spans, groups: Groups, claims: Sequence[Claim]) -> tuple[IntArray, FloatArray, IntArray]:
    """List the changes on the nodes of each group: the group, the time and the gain of each change.

    A gain is the difference in these columns: free resources, whether the nodes are open, number of claims that close
    the nodes.
    """
    there = np.column_stack([spans.free, spans.open, np.zeros_like(spans.owner)])
    closes = np.array([[0, -claim.closes] for claim in claims])
    taken = np.column_stack([np.array([claim.request for claim in claims]), closes])[groups.claim]
    taken[:, :-1] *= groups.counts[:, np.newaxis]
    start = np.array([claim.start for claim in claims])[groups.claim]
    finish = np.array([claim.finish for claim in claims])[groups.claim]
    ending = np.flatnonzero(finish < np.inf)
    return (
        np.concatenate([spans.owner, groups.owner, groups.owner[ending]]),
        np.concatenate([spans.begin, start, finish[ending]]),
        np.concatenate([change(there, spans.owner), -taken, taken[ending]]),
    )


def _in_order(owner: IntArray, begin: FloatArray, sorted_already: int) -> IntArray:
    """Return the indices by owner, then by begin; the first ``sorted_already`` are in that order already."""
    # Complex numbers are compared by their real parts, then by their imaginary parts.
    both = np.empty(len(owner), dtype=np.complex128)
    both.real, both.imag = owner, begin
    rest = both[sorted_already:]
    by_both = rest.argsort(kind="stable")
    places = both[:sorted_already].searchsorted(rest[by_both], side="right")
    order: IntArray = np.insert(np.arange(sorted_already), places, sorted_already + by_both)
    return order
