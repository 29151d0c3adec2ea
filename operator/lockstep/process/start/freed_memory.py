"""Gives memory that the process no longer uses back to the machine.

A tenant's large objects are made of many small and large blocks. glibc keeps the memory of freed blocks, in case it is
needed again. After objects of 17 MB had come and gone three times, a process that needs 110 MiB had 290 MiB.
"""

import asyncio
import ctypes
from pathlib import Path
from resource import getpagesize

_PERIOD_SECONDS = 2.0
# Freed memory that the process may keep. It can be small: to give memory back takes some milliseconds in a thread.
_MUCH_BYTES = 16 * 2**20
_STATM = Path("/proc/self/statm")


async def give_back_freed_memory() -> None:
    """Give memory back whenever the process has grown by 16 MiB; until cancelled.

    The growth counts from the least memory that the process had since memory was last given back.

    Where the C library is not glibc, this only waits, since the process would end if one of its tasks ended.
    """
    library = ctypes.CDLL(None)
    if not hasattr(library, "malloc_trim"):
        await asyncio.Event().wait()
    least = _resident_bytes()
    while True:
        await asyncio.sleep(_PERIOD_SECONDS)
        if _resident_bytes() > least + _MUCH_BYTES:
            await asyncio.to_thread(library.malloc_trim, 0)
            least = _resident_bytes()
        least = min(least, _resident_bytes())


def _resident_bytes() -> int:
    return int(_STATM.read_text(encoding="ascii").split()[1]) * getpagesize()
