"""Effective speed-up over size: why the best size is searched for, and not climbed to."""

from collections.abc import Callable
from typing import Any, NamedTuple

from drawing.canvas import Canvas, Point
from drawing.engine import ask

_NODES = [
    *[{"dutyCycle": 0}] * 12,
    *[{"dutyCycle": 0.5}] * 8,
    *[{"dutyCycle": 0, "start": 15}] * 12,
]
_WORK = {"serial": 600, "fixed": 1, "perMember": 0.25}
_SIZES = range(1, len(_NODES) + 1)

_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 640, 60, 400
_HIGHEST = 25


class _Curve(NamedTuple):
    """One line of the picture: the speed-up of every size, and what stands at its end.

    Where there is a ``best_label``, the best size is marked and the label stands so far from it.
    """

    label: str
    look: str
    speedups: list[float]
    best_label: Point | None = None

    @property
    def best(self) -> int:
        return max(_SIZES, key=lambda size: self.speedups[size - 1])


def draw() -> str:
    """Draw three curves over the sizes: idle nodes, proportional load, equal load."""
    canvas = Canvas(
        880,
        480,
        title="Effective speed-up over the size of a gang",
        description="With equal load the speed-up rises to 12 members, falls when slower nodes join, and rises again "
        "to a higher peak at 24 members. These wait for nodes that are free 15 seconds later. With proportional load "
        "slower nodes help.",
    )
    canvas.write("Effective speed-up T(1) / finish over the number of members", Point(_LEFT, 34), "name")
    _draw_axes(canvas)
    for curve in _curves():
        _draw_curve(canvas, curve)
    work = "T(P) = 600/P + 1 + P/4 s on 12 idle nodes, 8 with duty cycle 1/2, and 12 idle ones that are free in 15 s"
    canvas.write(work, Point(_LEFT, 462), "note")
    return canvas.svg()


def _curves() -> list[_Curve]:
    return [
        _Curve("all nodes idle: T(1)/T(P)", "plain-line", _speedups(_on_idle_nodes)),
        _Curve("proportional load", "green-line", _speedups(_on_bids("proportional")), Point(12, 0)),
        _Curve("equal load", "blue-line", _speedups(_on_bids("equal")), Point(-152, 48)),
    ]


def _speedups(one: Callable[[dict[str, int]], dict[str, Any]]) -> list[float]:
    return [one({"min": size, "max": size})["speedup"] for size in _SIZES]


def _on_bids(problem: str) -> Callable[[dict[str, int]], dict[str, Any]]:
    return lambda size: ask(problem, nodes=_NODES, work=_WORK, size=size)


def _on_idle_nodes(size: dict[str, int]) -> dict[str, Any]:
    return ask("equal", nodes=[{}] * len(_NODES), work=_WORK, size=size)


def _draw_axes(canvas: Canvas) -> None:
    for speedup in range(0, _HIGHEST + 1, 5):
        level = _at(1, speedup).y
        canvas.line([Point(_LEFT, level), Point(_RIGHT, level)], "grid" if speedup else "axis")
        canvas.write(str(speedup), Point(_LEFT - 10, level + 5), "note", anchor="end")
    for size in (1, *range(4, len(_NODES) + 1, 4)):
        canvas.write(str(size), Point(_at(size, 0).x, _BOTTOM + 22), "note", anchor="middle")
    canvas.write("members", Point((_LEFT + _RIGHT) / 2, _BOTTOM + 42), "note", anchor="middle")


def _draw_curve(canvas: Canvas, curve: _Curve) -> None:
    points = [_at(size, speedup) for size, speedup in zip(_SIZES, curve.speedups, strict=True)]
    canvas.line(points, curve.look)
    end = points[-1]
    canvas.write(curve.label, Point(end.x + 14, end.y + 5))
    if curve.best_label is None:
        return
    top = points[curve.best - 1]
    canvas.dot(top, curve.look.removesuffix("-line"))
    speedup = curve.speedups[curve.best - 1]
    place = Point(top.x + curve.best_label.x, top.y + curve.best_label.y)
    canvas.write(f"{speedup:.1f} with {curve.best} members", place, "note")


def _at(size: int, speedup: float) -> Point:
    across = (size - 1) / (len(_NODES) - 1)
    return Point(_LEFT + across * (_RIGHT - _LEFT), _BOTTOM - speedup / _HIGHEST * (_BOTTOM - _TOP))
