"""A walk as a list of steps: what is done to the cluster, which faults lie in wait. To be cut and replayed."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple


class Step(NamedTuple):
    """One step: the name of what is done, and with what."""

    act: str
    how: dict[str, Any]


class Fault(NamedTuple):
    """Trouble for the next ``times`` requests of a kind: ``on`` is a verb, or ``open`` or ``watch``, and a resource.

    A star stands for any. ``seconds`` is how long it lasts where it lasts.
    """

    kind: str
    on: str
    times: int = 1
    seconds: float = 0.0


def write(steps: Iterable[Step], path: Path) -> None:
    """Write a script, one step a line."""
    path.write_text("".join(as_line(step) + "\n" for step in steps), encoding="utf-8")


def read(path: Path) -> list[Step]:
    """Read a script."""
    return [Step(*json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]


def as_line(step: Step) -> str:
    """Format a step as it is written."""
    return json.dumps(step)
