"""Members of a gang that are alike, by the name of their node."""

from dataclasses import dataclass

from coschedule.queue.problem.parts import Part


@dataclass(frozen=True, slots=True)
class Members:
    """``count`` members of a role on the node of that name, and the ``part`` of the work that each of them has."""

    node: str
    count: int
    part: Part = None
    role: str = ""
