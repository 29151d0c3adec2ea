"""What an operator that runs still remembers of an object."""

import asyncio
import gc
from collections import deque
from contextvars import Context
from types import CodeType, FrameType, FunctionType, ModuleType

# The loop, and what hangs on it, ends by itself.
_NOT_REMEMBERED = (
    ModuleType,
    type,
    FunctionType,
    CodeType,
    FrameType,
    Context,
    asyncio.AbstractEventLoop,
    asyncio.Task,
)


def remembered(parts, is_of):
    """How the operator reaches each value for which ``is_of`` is true: the types on the way, one way for each."""
    roots = (parts.state, parts.cycle, parts.services)
    seen, waiting, found = {id(one) for one in roots}, deque((one, (type(one).__name__,)) for one in roots), set()
    while waiting:
        holder, way = waiting.popleft()
        for one in gc.get_referents(holder):
            if is_of(one):
                found.add(" > ".join(way))
            elif id(one) not in seen and not isinstance(one, _NOT_REMEMBERED):
                seen.add(id(one))
                waiting.append((one, (*way, type(one).__name__)))
    return sorted(found)
