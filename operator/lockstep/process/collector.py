"""When Python looks for garbage, and at how much of it at a time: everything else in the process waits meanwhile.

What has no cycles goes without being looked for. Cycles are found while they are young: what is still there after two
looks at the young is there to stay, and is never looked at again. So what becomes a cycle of garbage later is kept
until the process ends; this was counted as about 1,000 objects for 1,000 gangs that come and go.
"""

import asyncio
import gc

# Objects that are made before those are looked at, and how many such looks before those are looked at that were there
# after the first. Looking at all there is took up to 63 ms.
_THRESHOLDS = (2_000, 5)
_NEVER = 2**31 - 1
_PERIOD_SECONDS = 0.2
_LOOKS_BEFORE_IT_STAYS = 2


def collect_little() -> None:
    """Look at what is there already never again, and at what will come only a little at a time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_THRESHOLDS, _NEVER)


async def collect_what_stayed() -> None:
    """Put what has stayed aside again and again, so that nothing looks at it; until cancelled."""
    seen = _looks()
    while True:
        await asyncio.sleep(_PERIOD_SECONDS)
        if _looks() >= seen + _LOOKS_BEFORE_IT_STAYS:
            gc.collect(1)
            gc.freeze()
            seen = _looks()


def _looks() -> int:
    """How often objects were looked at that an earlier look had found in use."""
    looks: int = gc.get_stats()[1]["collections"]
    return looks
