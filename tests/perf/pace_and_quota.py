"""What a quota of the kernel does to a paced member, by how it waits: docs/pace.md has some rows of the table.

Two members meet after every step. The slow one needs all of a step's time, the fast one a share of it. The fast one
has a quota of ``MARGIN`` times that share in every tenth of a second. While it waits it uses CPU too. Nothing else
runs: this is what follows from the quota alone, which on a machine drowns in what others do there. What is given back
is a part of 1 - share, with the shortest steps.
"""

from itertools import count
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

PERIOD = 100.0
MARGIN = 1.1
# All in milliseconds.
TICK = 0.05
STEPS_OF = (5.0, 30.0, 60.0, 150.0)
LASTS = 10_000.0
SHARES = (0.75, 0.5, 0.25)
# Parts of the time of waiting.
WAITING = (0.0, 0.05, 0.1, 0.2, 1.0)


class Found(NamedTuple):
    """How much ``longer`` steps take, and what part of a core the fast member ``used``."""

    longer: float
    used: float


def with_quota(step: float, *, share: float, waiting: float) -> Found:
    """What becomes of steps of so many milliseconds with the quota."""
    quota, steps = MARGIN * share * PERIOD, round(LASTS / step)
    used, fast, slow, in_all = 0.0, 0.0, 0.0, 0.0
    for tick in count():
        now = tick * TICK
        if tick % round(PERIOD / TICK) == 0:
            used = 0.0
        # Who has done a step goes on once the other has done it, too.
        done = int(min(fast / (share * step), slow / step) + TICK / step / 10)
        if done >= steps:
            return Found(longer=now / (steps * step) - 1, used=in_all / now)
        slow = min(slow + TICK, (done + 1) * step)
        if used < quota:
            computes = min(TICK, (done + 1) * share * step - fast)
            takes = computes + waiting * (TICK - computes)
            fast, used, in_all = fast + computes, used + takes, in_all + takes
    raise AssertionError


def main() -> None:
    """Print a row for each share and use."""
    table = Table("share", "used while waiting", *(f"{step:g} ms" for step in STEPS_OF), "given back")
    for share in SHARES:
        for waiting in WAITING:
            found = [with_quota(step, share=share, waiting=waiting) for step in STEPS_OF]
            given_back = (1 - found[0].used) / (1 - share)
            table.add_row(f"{share:g}", f"{waiting:g}", *(f"{one.longer:+.1%}" for one in found), f"{given_back:.1%}")
    Console().print(table)


if __name__ == "__main__":
    main()
