"""What a quota of the kernel does to a paced member, by how it waits: prints the table in docs/pace.md.

Two members meet after every step. The slow one needs all of a step's time, the fast one a share of it, and has a quota
of ``MARGIN`` times that share in every tenth of a second. While it waits it uses CPU too. Nothing else runs: this is
what follows from the quota alone, which on a machine drowns in what others do there.
"""

from itertools import count

from rich.console import Console
from rich.table import Table

PERIOD = 100.0
MARGIN = 1.1
# All in milliseconds.
TICK = 0.05
STEPS_OF = (5.0, 30.0, 60.0, 150.0)
LASTS = 10_000.0
SHARES = (0.5, 0.25)
# Parts of the time of waiting.
WAITING = (0.0, 0.05, 0.1, 0.2, 1.0)


def longer(step: float, *, share: float, waiting: float) -> float:
    """How much longer steps of so many milliseconds take with the quota, as a part of them."""
    quota, steps = MARGIN * share * PERIOD, round(LASTS / step)
    used, fast, slow = 0.0, 0.0, 0.0
    for tick in count():
        now = tick * TICK
        if tick % round(PERIOD / TICK) == 0:
            used = 0.0
        # Who has done a step goes on once the other has done it, too.
        done = int(min(fast / (share * step), slow / step) + TICK / step / 10)
        if done >= steps:
            return now / (steps * step) - 1
        slow = min(slow + TICK, (done + 1) * step)
        if used < quota:
            computes = min(TICK, (done + 1) * share * step - fast)
            fast += computes
            used += computes + waiting * (TICK - computes)
    raise AssertionError


def main() -> None:
    """Print a row for each share and use."""
    table = Table("share", "used while waiting", *(f"{step:g} ms" for step in STEPS_OF))
    for share in SHARES:
        for waiting in WAITING:
            found = (longer(step, share=share, waiting=waiting) for step in STEPS_OF)
            table.add_row(f"{share:g}", f"{waiting:g}", *(f"{one:+.1%}" for one in found))
    Console().print(table)


if __name__ == "__main__":
    main()
