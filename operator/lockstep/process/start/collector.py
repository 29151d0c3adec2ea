"""Configures Python's garbage collector, which stops the whole process while it runs.

Python frees objects without reference cycles at once, without the collector. The collector finds young cycles. After
every two collections of the second generation, all objects that are left are frozen: the collector skips them. Frozen
objects may become garbage later, about 1,000 objects for 1,000 gangs that come and go. So once an hour their number is
checked. If it has grown by half, all objects are collected.
"""

import asyncio
import gc

# The youngest generation is collected after 2,000 new objects, and the second one after five of these collections. A
# collection of all objects took up to 63 ms.
_THRESHOLDS = (2_000, 5)
_NEVER = 2**31 - 1
_PERIOD_SECONDS = 0.2
_COLLECTIONS_BEFORE_FREEZE = 2
_SECONDS_BETWEEN_COUNTS = 3600.0
_MUCH_MORE = 1.5


def collect_little() -> None:
    """Freeze all objects in use, and let the collector handle new objects in small parts."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()
    gc.set_threshold(*_THRESHOLDS, _NEVER)


async def collect_what_stayed() -> None:
    """Freeze all objects after every two collections of the second generation; until cancelled."""
    seen = _second_collections()
    while True:
        await asyncio.sleep(_PERIOD_SECONDS)
        if _second_collections() >= seen + _COLLECTIONS_BEFORE_FREEZE:
            gc.collect(1)
            gc.freeze()
            seen = _second_collections()


async def find_what_became_garbage() -> None:
    """Collect frozen objects whenever their number has grown by half; until cancelled.

    A collection takes up to a tenth of a second. It happens about once in some hundred thousand gangs.
    """
    await asyncio.sleep(_SECONDS_BETWEEN_COUNTS)
    in_use = gc.get_freeze_count()
    while True:
        await asyncio.sleep(_SECONDS_BETWEEN_COUNTS)
        if gc.get_freeze_count() > _MUCH_MORE * in_use:
            collect_little()
            in_use = gc.get_freeze_count()


def _second_collections() -> int:
    """The number of collections of the second generation: objects that have survived one collection."""
    collections: int = gc.get_stats()[1]["collections"]
    return collections
