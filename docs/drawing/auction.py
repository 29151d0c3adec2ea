"""A share auction, event by event: scenario three of Shum's dissertation, table 5.3."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from drawing.canvas import Canvas, Point
from drawing.engine import ask

_NODES = 25
_LEVELS = [1, 3, 9]
# Only the printed bids are known. These unit times give them: U(1)/U(2) of the four is 2.878, 3.205, 2.146 and 1.323.
_UNIT_TIMES = {
    "BMM1": [8.0, 2.878, 1.0],
    "BMM2": [9.0, 3.205, 1.0],
    "PSA1": [6.0, 2.146, 1.0],
    "PSA2": [3.0, 1.323, 1.0],
}
_LOOKS = {"BMM1": "blue", "BMM2": "green", "PSA1": "amber", "PSA2": "violet"}


class _Moment(NamedTuple):
    """An event of the table: when it was, and what is sent to the engine."""

    seconds: int
    event: dict[str, Any]


def _arrival(name: str) -> dict[str, Any]:
    return {"op": "arrive", "name": name, "levels": _LEVELS, "unitTimes": _UNIT_TIMES[name]}


_AUCTION = {"op": "auction"}
_MOMENTS = (
    _Moment(60, _arrival("BMM1")),
    _Moment(100, _AUCTION),
    _Moment(100, _arrival("BMM2")),
    _Moment(140, _AUCTION),
    _Moment(140, _arrival("PSA1")),
    _Moment(180, _AUCTION),
    _Moment(220, _AUCTION),
    _Moment(280, _arrival("PSA2")),
    _Moment(320, _AUCTION),
    _Moment(360, _AUCTION),
)

_LEFT, _TOP, _BOTTOM = 60, 70, 345
_STEP, _WIDTH = 90, 70


def draw() -> str:
    """Draw who holds how many nodes after every event, free ones at the top."""
    canvas = Canvas(
        980,
        430,
        title="A share auction of 25 nodes",
        description="Four applications arrive one after the other. Newcomers take nodes from the application that "
        "loses least, and the next auction gives them back where the gain is larger.",
    )
    canvas.write("Who holds how many of 25 nodes", Point(_LEFT, 34), "name")
    for nodes in range(0, _NODES + 1, 5):
        canvas.write(str(nodes), Point(_LEFT - 12, _height(nodes) + 5), "note", anchor="end")
    for column, (moment, state) in enumerate(zip(_MOMENTS, _states(), strict=True)):
        left = _LEFT + column * _STEP
        _draw_state(canvas, left, state["allocation"])
        _draw_words(canvas, left + _WIDTH / 2, [f"{moment.seconds} s", *_words(moment.event, state["result"])])
    return canvas.svg()


def _states() -> list[dict[str, Any]]:
    answer = ask("auction", total=_NODES, psi=1.2, events=[moment.event for moment in _MOMENTS])
    states: list[dict[str, Any]] = answer["events"]
    return states


def _draw_state(canvas: Canvas, left: float, allocation: dict[str, int]) -> None:
    below = 0
    for name, look in _LOOKS.items():
        held = allocation.get(name, 0)
        _draw_share(canvas, left, (below, below + held), look, f"{name}  {held}")
        below += held
    _draw_share(canvas, left, (below, _NODES), "free", f"free  {_NODES - below}")


def _draw_share(canvas: Canvas, left: float, nodes: tuple[int, int], look: str, label: str) -> None:
    low, high = nodes
    if low == high:
        return
    canvas.box(Point(left, _height(high)), _WIDTH, _height(low) - _height(high), look)
    # A share of one node is lower than a line of words.
    if high - low > 1:
        middle = Point(left + _WIDTH / 2, _height((low + high) / 2) + 5)
        canvas.write(label, middle, "note" if look == "free" else "text", anchor="middle")


def _words(event: dict[str, Any], result: Any) -> list[str]:
    """Say what happened in a line or two."""
    if event["op"] == "arrive":
        return [event["name"], "arrives"]
    [action] = result
    donor = action["donor"]
    return [f"{action['app']} up", f"{donor} gives" if donor else ""]


def _draw_words(canvas: Canvas, middle: float, lines: Sequence[str]) -> None:
    for line, words in enumerate(lines):
        canvas.write(words, Point(middle, _BOTTOM + 26 + 21 * line), "note" if line else "text", anchor="middle")


def _height(nodes: float) -> float:
    return _BOTTOM - nodes / _NODES * (_BOTTOM - _TOP)
