"""Configures Python's garbage collector, which stops the whole process while it runs.

Objects without reference cycles are freed without it. Cycles are found while they are young. Objects that survive two
collections of the young are frozen: the collector skips them. Frozen objects may become garbage later, about 1,000 for
1,000 gangs that come and go. So once an hour it is checked whether their number has grown by half; then all objects
are collected.
"""

import asyncio
import gc

# After so many new objects the youngest are collected, and after so many of these collections the next generation. A
# collection of all objects took up to 63 ms.
_THRESHOLDS = (2_000, 5)
_NEVER = 2**31 - 1
_PERIOD_SECONDS = 0.2
_COLLECTIONS_BEFORE_FREEZE = 2
_SECONDS_BETWEEN_COUNTS = 3600.0
_MUCH_MORE = 1.5


def collect_little() -> None:
    """Freeze all objects in use, and collect new ones in small parts."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_THRESHOLDS, _NEVER)


async def collect_what_stayed() -> None:
    """Freeze objects that have survived, so that the collector skips them; until cancelled."""
    seen = _second_collections()
    while True:
        await asyncio.sleep(_PERIOD_SECONDS)
        if _second_collections() >= seen + _COLLECTIONS_BEFORE_FREEZE:
            gc.collect(1)
            gc.freeze()
            seen = _second_collections()


async def find_what_became_garbage() -> None:
    """Collect frozen objects whenever their number has grown by half; until cancelled.

    That takes up to a tenth of a second, about once in some hundred thousand gangs.
    """
    await asyncio.sleep(_SECONDS_BETWEEN_COUNTS)
    in_use = gc.get_freeze_count()
    while True:
        await asyncio.sleep(_SECONDS_BETWEEN_COUNTS)
        if gc.get_freeze_count() > _MUCH_MORE * in_use:
            collect_little()
            in_use = gc.get_freeze_count()


def _second_collections() -> int:
    """The number of collections of the second generation: objects that survived one collection."""
    collections: int = gc.get_stats()[1]["collections"]
    return collections
