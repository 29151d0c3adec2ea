"""When Python looks for garbage, and at how much of it at a time: everything else in the process waits meanwhile.

What has no cycles goes without being looked for. Cycles are found while they are young: what is still there after two
looks at the young is there to stay, and is put aside. What becomes a cycle of garbage later (about 1,000 objects for
1,000 gangs that come and go) is found when half as much again has been put aside, which is looked at once an hour.
"""

import asyncio
import gc

# Objects that are made before those are looked at, and how many such looks before those are looked at that were there
# after the first. Looking at all there is took up to 63 ms.
_THRESHOLDS = (2_000, 5)
_NEVER = 2**31 - 1
_PERIOD_SECONDS = 0.2
_LOOKS_BEFORE_IT_STAYS = 2
_SECONDS_BETWEEN_COUNTS = 3600.0
_MUCH_MORE = 1.5


def collect_little() -> None:
    """Put aside what is in use, and look at what will come only a little at a time."""
    gc.unfreeze()
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


async def find_what_became_garbage() -> None:
    """Look at all that was put aside whenever that has become much more; until cancelled.

    It takes up to a tenth of a second, once in some hundred thousand gangs.
    """
    await asyncio.sleep(_SECONDS_BETWEEN_COUNTS)
    in_use = gc.get_freeze_count()
    while True:
        await asyncio.sleep(_SECONDS_BETWEEN_COUNTS)
        if gc.get_freeze_count() > _MUCH_MORE * in_use:
            collect_little()
            in_use = gc.get_freeze_count()


def _looks() -> int:
    """How often objects were looked at that an earlier look had found in use."""
    looks: int = gc.get_stats()[1]["collections"]
    return looks
