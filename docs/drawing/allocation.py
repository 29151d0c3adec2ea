"""The allocation map of figure 1 of Al-Saqabi, Otto and Walpole, before and after processor P1 leaves."""

from coschedule import Allocation, AllocationMap, processor_exit
from drawing.canvas import Canvas, Point

_PROCESSORS = ("P1", "P2", "P3", "P4", "P5", "P6")
_LOOKS = {"J1": "blue", "J3": "green"}
"""Jobs to follow; the others look alike."""

_TOP, _LEFT, _BETWEEN = 92, 60, 440
_CELL_WIDTH, _CELL_HEIGHT = 70, 44
_GAP = 4


def draw() -> str:
    """Draw both maps beside each other."""
    change = processor_exit(_figure_1(), "P1")
    canvas = Canvas(
        870,
        430,
        title="An allocation map before and after a processor leaves",
        description="Six processors by five time slices. Before, job J1 has one piece on each processor in slice T1. "
        "After P1 has left, J1 has two pieces on each of three processors and takes twice as long. It frees two "
        "processors in T1, and so does J8 in T5; J3 moves to them and runs in three slices.",
    )
    _draw_map(canvas, _LEFT, "Before", change.before)
    _draw_map(canvas, _LEFT + _BETWEEN, "After P1 has left", change.after)
    return canvas.svg()


def _figure_1() -> AllocationMap:
    places = {
        "J1": (0, _PROCESSORS),
        "J2": (1, _PROCESSORS[:2]),
        "J3": (1, _PROCESSORS[2:]),
        "J4": (2, _PROCESSORS[:1]),
        "J5": (2, _PROCESSORS[1:2]),
        "J6": (2, _PROCESSORS[2:4]),
        "J7": (3, _PROCESSORS[:4]),
        "J8": (4, _PROCESSORS),
    }
    return AllocationMap(
        speeds=dict.fromkeys(_PROCESSORS, 1),
        allocations=tuple(
            Allocation(job=job, slices=(column,), counts=dict.fromkeys(processors, 1))
            for job, (column, processors) in places.items()
        ),
    )


def _draw_map(canvas: Canvas, left: int, title: str, shown: AllocationMap) -> None:
    canvas.write(title, Point(left, 34), "name")
    for processor in shown.speeds:
        middle = _corner(left, processor, 0).y + _CELL_HEIGHT / 2 + 5
        canvas.write(processor, Point(left - 12, middle), "note", anchor="end")
    for column, free in shown.free.items():
        middle = left + (column + 0.5) * _CELL_WIDTH
        canvas.write(f"T{column + 1}", Point(middle, _TOP - 10), "note", anchor="middle")
        for processor in sorted(free):
            _draw_cell(canvas, _corner(left, processor, column), "free")
    for allocation in shown.allocations:
        _draw_job(canvas, left, allocation)
    jobs = sorted(allocation.job for allocation in shown.allocations)
    turnarounds = ", ".join(f"{job} {shown.turnaround(job)}" for job in jobs)
    below = _TOP + len(_PROCESSORS) * _CELL_HEIGHT
    canvas.write("turn-around:", Point(left, below + 28), "note")
    canvas.write(turnarounds, Point(left, below + 48), "note")


def _draw_job(canvas: Canvas, left: int, allocation: Allocation) -> None:
    look = _LOOKS.get(allocation.job, "plain")
    for processor, count in allocation.counts.items():
        label = allocation.job if count == 1 else f"{allocation.job} \N{MULTIPLICATION SIGN}{count}"
        for column in allocation.slices:
            corner = _corner(left, processor, column)
            _draw_cell(canvas, corner, look)
            middle = Point(corner.x + _CELL_WIDTH / 2, corner.y + _CELL_HEIGHT / 2 + 5)
            canvas.write(label, middle, anchor="middle")


def _draw_cell(canvas: Canvas, corner: Point, look: str) -> None:
    inner = Point(corner.x + _GAP / 2, corner.y + _GAP / 2)
    canvas.box(inner, _CELL_WIDTH - _GAP, _CELL_HEIGHT - _GAP, look)


def _corner(left: int, processor: str, column: int) -> Point:
    """Rows go up from the first processor, as in the paper."""
    row = len(_PROCESSORS) - 1 - _PROCESSORS.index(processor)
    return Point(left + column * _CELL_WIDTH, _TOP + row * _CELL_HEIGHT)
