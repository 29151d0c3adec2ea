"""Members of a gang that are alike, by the name of their node."""

from dataclasses import dataclass

from coschedule.queue.problem.parts import Part


@dataclass(frozen=True, slots=True)
class Members:
    """``count`` members of a role on the node with that name; each has the same ``part`` of the work."""

    node: str
    count: int
    part: Part = None
    role: str = ""
