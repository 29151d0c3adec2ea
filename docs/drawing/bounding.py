"""How bounding finds the least value of a matrix: blocks whose bound is worse than a value reached are dropped."""

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import NamedTuple

from drawing.canvas import Canvas, Point
from drawing.engine import ask

# Start and slow-down of twelve nodes, each one's rank by start being its place in the list.
_NODES = [(0, 7), (1, 4), (2, 10), (3, 2), (5, 8), (7, 3), (12, 1), (14, 6), (18, 5), (22, 11), (26, 9), (30, 12)]
_SERIAL, _PER_MEMBER = 120, 2
_SIDE = len(_NODES)
_EDGES = (0, 4, 8, 12)

_CELL = 30
_TOP = 92
_LEFTS = (30, 490)


class _Block(NamedTuple):
    """Rows [top, bottom) and columns [left, right) of the matrix."""

    top: int
    bottom: int
    left: int
    right: int


def draw() -> str:
    """Draw the matrix twice: with the first grid of blocks, and with what is left of them, cut into cells."""
    canvas = Canvas(
        880,
        560,
        title="Bounding over blocks of a matrix of values",
        description="A matrix has a row for each of twelve starts and a column for each of twelve slow-downs. Nine "
        "blocks cover it. Each shows a bound that no value in it is below, and the value of its far corner, which can "
        "be reached. The blocks whose bound is above the least value reached are dropped. Of the others, cut into "
        "cells, only a few cells are left, and one of them has the least value.",
    )
    canvas.write("1. A grid of blocks: a bound, and a value reached", Point(_LEFTS[0], 34), "name")
    canvas.write("2. Blocks that are left, cut into cells", Point(_LEFTS[1], 34), "name")
    for left in _LEFTS:
        _draw_axes(canvas, left)
    kept = _draw_blocks(canvas)
    _draw_cells(canvas, kept)
    work = (
        f"Value: start + slow-down · the least T(P) of all P slots up to the cell; T(P) = {_SERIAL}/P + {_PER_MEMBER}·P"
    )
    canvas.write(work, Point(_LEFTS[0], 500), "note")
    canvas.write(f"Least value reached by a far corner: {_reached():.1f}", Point(_LEFTS[0], 522), "note")
    canvas.write(
        f"Blue: {_reached():.1f} or less; amber: the least of all, {_least():.1f}", Point(_LEFTS[1], 522), "note"
    )
    return canvas.svg()


def _draw_axes(canvas: Canvas, left: int) -> None:
    canvas.write("slow-downs, rising →", Point(left, 58), "note")
    canvas.write("starts, rising ↓", Point(left, 78), "note")


def _draw_blocks(canvas: Canvas) -> list[_Block]:
    reached = _reached()
    kept = [block for block in _blocks() if _bound(block) <= reached]
    for block in _blocks():
        middle = _corner(_LEFTS[0], (block.top + block.bottom) / 2, (block.left + block.right) / 2)
        canvas.box(
            _corner(_LEFTS[0], block.top, block.left),
            _CELL * (block.right - block.left),
            _CELL * (block.bottom - block.top),
            "blue" if block in kept else "plain",
        )
        canvas.write(f"all ≥ {_bound(block):.1f}", Point(middle.x, middle.y - 6), anchor="middle")
        canvas.write(f"one = {_far_corner(block):.1f}", Point(middle.x, middle.y + 14), "note", anchor="middle")
    return kept


def _draw_cells(canvas: Canvas, kept: list[_Block]) -> None:
    for block in _blocks():
        for row in range(block.top, block.bottom):
            for column in range(block.left, block.right):
                look = _look(row, column) if block in kept else "plain"
                canvas.box(_corner(_LEFTS[1], row, column), _CELL, _CELL, look)


def _look(row: int, column: int) -> str:
    if _value(row, column) == _least():
        return "amber"
    return "blue" if _value(row, column) <= _reached() else "free"


def _corner(left: float, row: float, column: float) -> Point:
    return Point(left + column * _CELL, _TOP + row * _CELL)


def _blocks() -> Iterator[_Block]:
    for top, bottom in pairwise(_EDGES):
        for left, right in pairwise(_EDGES):
            yield _Block(top, bottom, left, right)


def _bound(block: _Block) -> float:
    """The earliest start and the least slow-down of the block, with the slots of its far corner."""
    return _value_of(block.top, block.left, _slots(block.bottom - 1, block.right - 1))


def _far_corner(block: _Block) -> float:
    return _value(block.bottom - 1, block.right - 1)


def _reached() -> float:
    return _least_of(_far_corner(block) for block in _blocks())


def _least() -> float:
    least = _least_of(_value(row, column) for row in range(_SIDE) for column in range(_SIDE))
    nodes = [{"start": start, "dutyCycle": slowdown - 1} for start, slowdown in _NODES]
    work = {"serial": _SERIAL, "perMember": _PER_MEMBER}
    answer = ask("equal", nodes=nodes, work=work, size={"min": 1, "max": _SIDE})
    assert answer["finish"] == least, "the least value is what the engine answers"
    return least


def _value(row: int, column: int) -> float:
    return _value_of(row, column, _slots(row, column))


def _value_of(row: int, column: int, slots: int) -> float:
    starts, slowdowns = sorted(start for start, _ in _NODES), sorted(slowdown for _, slowdown in _NODES)
    times = [_SERIAL / size + _PER_MEMBER * size for size in range(1, slots + 1)]
    return starts[row] + slowdowns[column] * min(times, default=float("inf"))


def _slots(row: int, column: int) -> int:
    """How many nodes start by the row's start and are no slower than the column's slow-down."""
    start, slowdown = sorted(_NODES)[row][0], sorted(slowdown for _, slowdown in _NODES)[column]
    return sum(one_start <= start and one_slowdown <= slowdown for one_start, one_slowdown in _NODES)


_least_of: Callable[[Iterator[float]], float] = min
