"""Lives of Gangs on a fake API server: undisturbed, with one process killed at each write, and with several killed."""

import asyncio
import random

from crashes.in_memory.mortal import Death
from fake_cluster.jumping import JumpingLoop
from live.proxy import Moment

SEEDS = range(24)
# So many processes of a life that is disturbed again and again are killed, each at one of its first writes.
_DEATHS = 6
_FIRST_WRITES = 9


def points_of(cast):
    """The deaths at which a process can be killed: before and after each write of the undisturbed life."""
    operator, problem = play(cast, [])
    assert not problem, f"undisturbed: {problem}"
    return [Death(number, moment) for moment in Moment for number in range(1, len(operator.written) + 1)]


def killed_once(cast, points):
    """What was broken in the lives in which a process dies at one of these points."""
    return [
        f"{point.moment} {_last(operator)}: {problem}"
        for point in points
        for operator, problem in [play(cast, [point])]
        if problem
    ]


def killed_often(cast, seeds):
    """What was broken in the lives in which one process after the other dies, as these seeds draw it."""
    return [f"seed {seed}: {problem}" for seed in seeds for _, problem in [play(cast, _drawn(seed))] if problem]


def play(cast, deaths):
    """Live a life on a clock of its own, with the same pauses each time."""
    random.seed(1)
    with asyncio.Runner(loop_factory=JumpingLoop) as runner:
        return runner.run(cast.life(cast, deaths))


def _drawn(seed):
    draw = random.Random(seed)  # noqa: S311 - cases of a test are no secrets
    return [Death(draw.randint(1, _FIRST_WRITES), draw.choice([*Moment])) for _ in range(_DEATHS)]


def _last(operator):
    return " ".join(operator.died_at[0]) if operator.died_at else "nothing"
