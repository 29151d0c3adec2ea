"""The timeline a snapshot foretells before anything is planned: windows open and close, running gangs end."""

from collections.abc import Sequence

import numpy as np

from coschedule.model.numbers import BoolArray, FloatArray, IntArray
from coschedule.queue.slots.segments import is_last
from coschedule.queue.slots.timeline import Pieces, Timeline
from coschedule.queue.snapshot import AMOUNT_LIMIT, Snapshot


def foretell(snapshot: Snapshot, masks: Sequence[BoolArray]) -> Timeline:
    """Group nodes into classes and lay out their future; nodes of a class agree in every one of ``masks``, bool[n]."""
    releases = _releases_by_node(snapshot)
    class_by_node, example = _classes(snapshot, masks, releases)
    fastest_first = np.argsort(snapshot.slowdown, kind="stable")
    slowdowns, pace = np.unique(snapshot.slowdown[example], return_inverse=True)
    return Timeline(
        now=snapshot.now,
        slowdowns=slowdowns,
        node=fastest_first,
        class_of=class_by_node[fastest_first],
        pace=pace,
        width=np.bincount(class_by_node, minlength=len(example)),
        example=example,
        pieces=_pieces(snapshot, example, [releases.get(int(node), ()) for node in example]),
    )


_NodeReleases = tuple[tuple[float, tuple[int, ...]], ...]


def _releases_by_node(snapshot: Snapshot) -> dict[int, _NodeReleases]:
    """Sort what comes back, and when, by node; what is due or overdue comes in the first instant after now."""
    soonest = float(np.nextafter(snapshot.now, np.inf))
    by_node: dict[int, list[tuple[float, tuple[int, ...]]]] = {}
    for release in snapshot.releases:
        by_node.setdefault(release.node, []).append((max(release.time, soonest), release.request))
    return {node: tuple(sorted(releases)) for node, releases in by_node.items()}


def _classes(
    snapshot: Snapshot, masks: Sequence[BoolArray], releases: dict[int, _NodeReleases]
) -> tuple[IntArray, IntArray]:
    """Number the classes in node order: the class of every node, and the first node of every class."""
    answers = np.packbits(np.array(masks, dtype=np.bool_).reshape(len(masks), len(snapshot.free)), axis=0).T
    columns = (
        snapshot.slowdown[:, np.newaxis].view(np.uint8),
        np.maximum(snapshot.start, snapshot.now)[:, np.newaxis].view(np.uint8),
        snapshot.until[:, np.newaxis].view(np.uint8),
        np.ascontiguousarray(snapshot.free).view(np.uint8),
        answers,
    )
    rows = np.ascontiguousarray(np.concatenate(columns, axis=1))
    numbers: dict[tuple[bytes, _NodeReleases], int] = {}
    class_of = [
        numbers.setdefault((row.tobytes(), releases.get(node, ())), len(numbers)) for node, row in enumerate(rows)
    ]
    by_node = np.array(class_of, dtype=np.int64)
    _, example = np.unique(by_node, return_index=True)
    return by_node, example


def _pieces(snapshot: Snapshot, example: IntArray, releases: Sequence[_NodeReleases]) -> Pieces:
    """Lay out the pieces of every class as its example has them."""
    owner, time, gain = _changes(snapshot, example, releases)
    order = np.lexsort((time, owner))
    owner, time = owner[order], time[order]
    free = _sums_by_class(gain[order], owner, first=np.searchsorted(owner, np.arange(len(example))))
    kept = np.flatnonzero(is_last(owner) | (np.append(time[1:], np.inf) > time))
    owner, time = owner[kept], time[kept]
    node = example[owner]
    return Pieces(
        owner=owner,
        begin=time,
        free=free[kept],
        open=(snapshot.start[node] <= time) & (time < snapshot.until[node]),
    )


def _sums_by_class(gain: IntArray, owner: IntArray, *, first: IntArray) -> IntArray:
    """Add up within every class; a sum that no 64 bits hold is more than anybody asks for."""
    total = np.cumsum(gain, axis=0)
    about = np.cumsum(gain, axis=0, dtype=np.float64)
    # The sum over all classes less what earlier classes contributed is the sum within the class, also where the former
    # wraps around.
    nothing = np.zeros((1, gain.shape[1]), dtype=np.int64)
    free: IntArray = total - np.concatenate([nothing, total])[first][owner]
    about -= np.concatenate([nothing, about])[first][owner]
    free[about > AMOUNT_LIMIT] = AMOUNT_LIMIT
    return free


def _changes(
    snapshot: Snapshot, example: IntArray, releases: Sequence[_NodeReleases]
) -> tuple[IntArray, FloatArray, IntArray]:
    """List every change: class, instant, resources gained; at the first instant a class gains what is free now."""
    classes = np.arange(len(example))
    start, until = snapshot.start[example], snapshot.until[example]
    begins = classes[(start > snapshot.now) & (start < np.inf)]
    ends = classes[(until > snapshot.now) & (until < np.inf)]
    freed = [(owner, time, request) for owner, row in enumerate(releases) for time, request in row if time < np.inf]
    owner = np.concatenate([classes, begins, ends, np.array([owner for owner, _, _ in freed], dtype=np.int64)])
    time = np.concatenate(
        [np.full(len(classes), snapshot.now), start[begins], until[ends], np.array([time for _, time, _ in freed])]
    )
    gain = np.zeros((len(owner), len(snapshot.resources)), dtype=np.int64)
    gain[: len(classes)] = snapshot.free[example]
    if freed:
        gain[len(owner) - len(freed) :] = [[min(amount, AMOUNT_LIMIT) for amount in request] for _, _, request in freed]
    return owner, time, gain
