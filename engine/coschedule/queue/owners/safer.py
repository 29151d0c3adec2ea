"""Timelines on which nodes are closed while their owners are likely to come back.

A run that avoids all hours above some risk is a run on such a timeline, for any size, nodes and start. So the searches
for runs need no forecasts. Risks are converted to hours of 3,600 seconds.

Example: the owner of a node comes back with a probability of 0 in the first hour, 0.01 in the second and 0.3 in the
third and last. The timeline of risk 0 closes the node from the second hour on, that of 0.02 from the third hour on.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from coschedule.model.numbers import BoolArray, FloatArray, IntArray
from coschedule.queue.owners.hazards import Hazards, hazards_of
from coschedule.queue.problem.owner_forecasts import Forecasts
from coschedule.queue.slots.claims import Claim
from coschedule.queue.slots.timeline import Timeline

RISKS = (0.0, 0.02, 0.1)
"""Limits on the risk of an hour; an interruptible gang is planned at each of these limits, and without a limit."""

_HOUR = 3600.0


def with_safer(timeline: Timeline, hazards: Hazards | None, *, risks: Sequence[float]) -> Timeline:
    """Return the timeline with a ``safer`` timeline for each of ``risks``, which rise; each closes fewer hours.

    Timelines that would be equal to the timeline before them, or close nothing, are left out.
    """
    if hazards is None:
        return timeline
    allowed = -np.log1p(-np.array(risks)) / _HOUR
    closed = [hazards.rate > rate for rate in allowed.tolist()]
    distinct = [
        one for one, before in zip(closed, [None, *closed], strict=False) if before is None or (one != before).any()
    ]
    safer = tuple(timeline.claimed_all(list(_closings(timeline, hazards, one))) for one in distinct if one.any())
    return replace(timeline, safer=safer)


def first_risks(forecasts: Forecasts, now: float, *, nodes: int) -> FloatArray:
    """Return the first time from ``now`` on at which the owner of each node may come back, inf for never: float[n]."""
    hazards = hazards_of(forecasts)
    if hazards is None:
        return np.full(nodes, np.inf)
    is_ahead = np.append(hazards.begin[1:], np.inf) > now
    times: FloatArray = np.where((hazards.rate > 0) & is_ahead, np.maximum(hazards.begin, now), np.inf).min(axis=1)
    return times


def _closings(timeline: Timeline, hazards: Hazards, closed: BoolArray) -> Iterator[Claim]:
    """List claims that close nodes in the hours closed[n, h], one for each stretch of hours."""
    rank_of = np.argsort(timeline.node)
    ends = np.append(hazards.begin[1:], np.inf)
    for nodes, first, last in _stretches(closed):
        start, finish = max(float(hazards.begin[first]), timeline.now), float(ends[last])
        if finish > start:
            yield Claim(
                ranks=np.sort(rank_of[nodes]),
                counts=np.ones_like(nodes),
                request=np.zeros(timeline.spans_of.store.free.shape[1], dtype=np.int64),
                start=start,
                finish=finish,
                closes=True,
            )


def _stretches(closed: BoolArray) -> Iterator[tuple[IntArray, int, int]]:
    """List nodes with the first and the last hour of a stretch in which they are closed; nodes may be in several."""
    edge = np.zeros((len(closed), 1), dtype=np.bool_)
    change = np.diff(np.concatenate([edge, closed, edge], axis=1).astype(np.int8), axis=1)
    node, first = np.nonzero(change == 1)
    last = np.nonzero(change == -1)[1] - 1
    hours = np.stack([first, last], axis=1)
    distinct, which = np.unique(hours, axis=0, return_inverse=True)
    for index, (begin, end) in enumerate(distinct.tolist()):
        yield node[which.reshape(-1) == index], begin, end
