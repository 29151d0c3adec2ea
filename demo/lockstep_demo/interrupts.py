"""Handles interrupts: the first one ends the demo, and the clean-up after it can't be interrupted."""

import signal
from types import FrameType

INTERRUPTS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def raise_on_interrupt() -> None:
    """Make the next SIGINT, SIGTERM or SIGHUP raise KeyboardInterrupt. Later ones are ignored."""
    for number in INTERRUPTS:
        signal.signal(number, _interrupted)


def ignore_interrupts() -> None:
    """Ignore SIGINT, SIGTERM and SIGHUP from now on, so that only SIGKILL can interrupt the clean-up."""
    for number in INTERRUPTS:
        signal.signal(number, signal.SIG_IGN)


def _interrupted(_number: int, _frame: FrameType | None) -> None:
    ignore_interrupts()
    raise KeyboardInterrupt
