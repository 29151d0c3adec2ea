"""What a gang wants of a run, and how its runs are compared."""

from enum import Enum, auto
from typing import NamedTuple, assert_never

from coschedule.queue.problem.gangs import PendingGang
from coschedule.queue.search.candidates import Outline

Merit = tuple[float, ...]
"""How good a run is; the lesser one is the better."""


class Goal(Enum):
    """What the best run of a gang is."""

    LEAST_VALUE = auto()
    """That of the least value (``queue.price``)."""
    FEWEST_MEMBERS = auto()
    """That with the fewest members which meets the deadline."""
    EARLIEST_START = auto()
    """That which starts first: its run time is unknown."""


class Run(NamedTuple):
    """A run and its merit. What is there after ``until`` makes no run better than this one."""

    merit: Merit
    until: float
    outline: Outline


def goal_of(gang: PendingGang) -> Goal:
    """Tell what a gang wants."""
    return soonest_goal_of(gang) if gang.work is None or gang.deadline is None else Goal.FEWEST_MEMBERS


def soonest_goal_of(gang: PendingGang) -> Goal:
    """Tell what a gang would want without its deadline."""
    return Goal.EARLIEST_START if gang.work is None else Goal.LEAST_VALUE


def run_of(goal: Goal, gang: PendingGang, outline: Outline, *, longest: float | None) -> Run:
    """Weigh a run; where its time is unknown, ``longest`` is what the last member's pieces take, if there are any."""
    match goal:
        case Goal.LEAST_VALUE:
            return Run(outline, outline.value, outline)
        case Goal.FEWEST_MEMBERS:
            assert gang.deadline is not None, "members are counted where there is a deadline"
            return Run((outline.size, outline.finish, outline.start), gang.deadline, outline)
        case Goal.EARLIEST_START:
            preference = (-outline.size,) if longest is None else (longest, outline.size)
            return Run((outline.start, *preference), outline.start, outline)
        case _:
            assert_never(goal)
