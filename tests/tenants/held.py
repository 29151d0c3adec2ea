"""The operator as a program that counts its event loop as held only while its own process had a core.

A machine that is busy with other things lets the loop wait, too. While the loop waits for a thread of its own process,
that thread spends CPU time.
"""

from collections.abc import Callable, Coroutine
from functools import partial
from pathlib import Path
from time import process_time
from typing import Any

from lockstep.cli import main
from lockstep.process import serve
from lockstep.process.start.loop_watch import watch_loop
from lockstep_demo.operator_process import spawn

Observe = Callable[[float], None]

spawn_held = partial(spawn, program=("-P", str(Path(__file__))))
"""Starts this program in the place of the command."""


def watch_served_loop(observe: Observe, monotonic: Callable[[], float]) -> Coroutine[Any, Any, None]:
    """Watch the loop as the operator does; no wake-up is later than what the process has spent since the one before."""
    return watch_loop(_at_most_spent(observe), monotonic)


def _at_most_spent(observe: Observe) -> Observe:
    before = process_time()

    def observe_spent(late: float) -> None:
        nonlocal before
        now = process_time()
        observe(min(late, now - before))
        before = now

    return observe_spent


if __name__ == "__main__":
    serve.watch_loop = watch_served_loop
    main()
