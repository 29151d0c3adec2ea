"""When Python looks for garbage, and at how much of it at a time: everything else in the process waits meanwhile."""

import gc

# Requests and events make much garbage without cycles; with the defaults the collector takes a tenth of the time. How
# many objects it looks at in one go but for the rare times when it looks at all: the event loop waits for it.
_THRESHOLDS = (10_000, 5, 400)


def collect_seldom() -> None:
    """Look at what is there already never again, since it is there to stay, and at what will come seldom."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_THRESHOLDS)
