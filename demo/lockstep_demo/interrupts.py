"""One interrupt ends the demo; the clean-up that follows cannot be interrupted."""

import signal
from types import FrameType

INTERRUPTS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def raise_on_interrupt() -> None:
    """From now on the first SIGINT, SIGTERM or SIGHUP raises KeyboardInterrupt, and later ones do nothing."""
    for number in INTERRUPTS:
        signal.signal(number, _interrupted)


def ignore_interrupts() -> None:
    """From now on SIGINT, SIGTERM and SIGHUP do nothing, so only SIGKILL can interrupt the clean-up."""
    for number in INTERRUPTS:
        signal.signal(number, signal.SIG_IGN)


def _interrupted(_number: int, _frame: FrameType | None) -> None:
    ignore_interrupts()
    raise KeyboardInterrupt
