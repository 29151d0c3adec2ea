"""The demo's tables: one of the nodes with their offers and pods, and one of the gangs and their progress."""

from collections.abc import Mapping, Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from lockstep_demo.bids import LATE_NODE, LATE_SECONDS, LEAVING_NODE, LEAVING_SECONDS, Offer
from lockstep_demo.sight import GangSight, Sight

COLOURS = ("cyan", "magenta", "green", "yellow", "blue", "red")
CELL = 5
NAME, ASKED, SIZE, NODES, START, STATE = 9, 8, 6, 23, 9, 15


def colour_of(name: str, sight: Sight) -> str:
    """Return the colour of a gang, which is the same in both tables. Other names get grey."""
    names = [gang.name for gang in sight.gangs]
    return COLOURS[names.index(name) % len(COLOURS)] if name in names else "bright_black"


def node_table(offers: Sequence[Offer], sight: Sight, *, elapsed: float) -> RenderableType:
    """Return one column per node: speed, load, window, and the first letters of the gang or pod on the node."""
    table = Table(box=None, padding=(0, 1, 0, 0), show_edge=False, header_style="bold")
    table.add_column("node", width=CELL, no_wrap=True)
    for offer in offers:
        table.add_column(offer.node, width=CELL, no_wrap=True)
    table.add_row("speed", *(offer.speed for offer in offers))
    table.add_row("load", *(f"{offer.load_percent}%" if offer.load_percent else "-" for offer in offers))
    table.add_row("free", *(_window(offer.node, elapsed) for offer in offers))
    table.add_row("runs", *(_occupants(sight.occupants.get(offer.node, ()), sight) for offer in offers))
    return table


def gang_table(sight: Sight, *, began: float, wraps: bool) -> RenderableType:
    """Return one row of numbers per gang, and under it the reason for the plan or refusal of an unfinished gang.

    ``began`` is the time of day at second 0. A reason that is too long is cut off, or wrapped if ``wraps`` is set.
    """
    lines: list[RenderableType] = [_row("gang", "asked", "size", "nodes", "start", "pods", style="bold")]
    for gang in sight.gangs:
        colour = colour_of(gang.name, sight)
        lines.append(_row(Text(gang.name, style=colour), *_numbers(gang, began)))
        if gang.planned.message and gang.complete.status != "True":
            reason = Text(
                gang.planned.message, style="dim", no_wrap=not wraps, overflow="fold" if wraps else "ellipsis"
            )
            lines.append(Padding(reason, (0, 0, 0, 2)))
    return Group(*lines)


def _row(*cells: str | Text, style: str = "") -> Table:
    row = Table.grid(padding=(0, 1, 0, 0))
    for width in (NAME, ASKED, SIZE, NODES, START, STATE):
        row.add_column(width=width, no_wrap=True, overflow="ellipsis", style=style)
    row.add_row(*cells)
    return row


def _numbers(gang: GangSight, began: float) -> tuple[str, str, str, str, str]:
    asked = str(gang.minimum) if gang.minimum == gang.maximum else f"{gang.minimum} to {gang.maximum}"
    size = "-" if gang.size is None else str(gang.size)
    start = "-" if gang.start is None else f"at {max(gang.start - began, 0):.0f} s"
    return asked, size, short_names(gang.nodes) or "-", start, _state(gang)


def _state(gang: GangSight) -> str:
    if gang.complete.status == "True":
        return f"{gang.pods.finished} finished"
    if gang.pods.running:
        return f"{gang.pods.running} running"
    if gang.pods.bound:
        return f"{gang.pods.bound} bound"
    return "planned" if gang.planned.status == "True" else "waiting"


def short_names(nodes: Sequence[str]) -> str:
    """Return names as one text, such as ``n01…n03 n05``. Three or more consecutive names form a range."""
    runs: list[list[str]] = []
    for node in sorted(nodes):
        if runs and int(node[1:]) == int(runs[-1][-1][1:]) + 1:
            runs[-1].append(node)
        else:
            runs.append([node])
    return " ".join(f"{run[0]}…{run[-1]}" if len(run) > 2 else " ".join(run) for run in runs)


def _window(node: str, elapsed: float) -> str:
    if node == LATE_NODE and elapsed < LATE_SECONDS:
        return f"in{LATE_SECONDS - elapsed:2.0f}s"
    if node == LEAVING_NODE:
        return f"<{LEAVING_SECONDS - elapsed:.0f}s" if elapsed < LEAVING_SECONDS else "gone"
    return "yes"


def _occupants(names: Sequence[str], sight: Sight) -> Text:
    """Return the name to show for a node: a gang's name if there is one, or else another pod's name.

    At most one gang runs on a node of one slot.
    """
    gangs: Mapping[bool, str] = {name in {gang.name for gang in sight.gangs}: name for name in names}
    name = gangs.get(True) or gangs.get(False)
    return Text("·", style="bright_black") if name is None else Text(name[:CELL], style=colour_of(name, sight))
