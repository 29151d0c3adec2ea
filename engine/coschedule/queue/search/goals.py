"""The goal of a gang, by which its runs are compared."""

from enum import Enum, auto
from typing import NamedTuple, assert_never

from coschedule.queue.problem.gangs import PendingGang
from coschedule.queue.search.candidates import Outline

Merit = tuple[float, ...]
"""The merit of a run; the least is the best."""


class RunGoal(Enum):
    """Which run of a gang is the best."""

    LEAST_VALUE = auto()
    """The run of the least value (``queue.problem.price``)."""
    FEWEST_MEMBERS = auto()
    """The run with the fewest members that meets the deadline."""
    EARLIEST_START = auto()
    """The run that starts first: the run time is unknown."""


class RatedRun(NamedTuple):
    """A run and its merit. Room after ``until`` cannot make another run better than this one."""

    merit: Merit
    until: float
    outline: Outline


def goal_of(gang: PendingGang) -> RunGoal:
    """Return the goal of a gang: the fewest members if it has a deadline and a known run time."""
    return soonest_goal_of(gang) if gang.work is None or gang.deadline is None else RunGoal.FEWEST_MEMBERS


def soonest_goal_of(gang: PendingGang) -> RunGoal:
    """Return the goal of a gang without its deadline."""
    return RunGoal.EARLIEST_START if gang.work is None else RunGoal.LEAST_VALUE


def run_of(goal: RunGoal, gang: PendingGang, outline: Outline, *, longest: float | None) -> RatedRun:
    """Rate a run; ``longest`` is as in ``longest_pieces``, None without pieces or with a known run time."""
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
