"""What a gang wants of a run, and how its runs are compared."""

from enum import Enum, auto
from typing import NamedTuple, assert_never

from coschedule.queue.problem.gangs import PendingGang
from coschedule.queue.search.candidates import Outline

Merit = tuple[float, ...]
"""How good a run is; the lesser one is the better."""


class RunGoal(Enum):
    """What the best run of a gang is."""

    LEAST_VALUE = auto()
    """That of the least value (``queue.price``)."""
    FEWEST_MEMBERS = auto()
    """That with the fewest members which meets the deadline."""
    EARLIEST_START = auto()
    """That which starts first: its run time is unknown."""


class RatedRun(NamedTuple):
    """A run and its merit. What is there after ``until`` makes no run better than this one."""

    merit: Merit
    until: float
    outline: Outline


def goal_of(gang: PendingGang) -> RunGoal:
    """Tell what a gang wants."""
    return soonest_goal_of(gang) if gang.work is None or gang.deadline is None else RunGoal.FEWEST_MEMBERS


def soonest_goal_of(gang: PendingGang) -> RunGoal:
    """Tell what a gang would want without its deadline."""
    return RunGoal.EARLIEST_START if gang.work is None else RunGoal.LEAST_VALUE


def run_of(goal: RunGoal, gang: PendingGang, outline: Outline, *, longest: float | None) -> RatedRun:
    """Weigh a run; where its time is unknown, ``longest`` is what the last member's pieces take, if there are any."""
    match goal:
        case RunGoal.LEAST_VALUE:
            return RatedRun(outline, outline.value, outline)
        case RunGoal.FEWEST_MEMBERS:
            assert gang.deadline is not None, "members are counted where there is a deadline"
            return RatedRun((outline.size, outline.finish, outline.start), gang.deadline, outline)
        case RunGoal.EARLIEST_START:
            preference = (-outline.size,) if longest is None else (longest, outline.size)
            return RatedRun((outline.start, *preference), outline.start, outline)
        case _:
            assert_never(goal)
