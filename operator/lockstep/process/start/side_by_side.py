"""Runs several coroutines concurrently, and ends them together."""

import asyncio
from collections.abc import Coroutine
from typing import Any


async def ended_before(stop: asyncio.Event, work: Coroutine[Any, Any, None]) -> bool:
    """Run the work until it ends or ``stop`` is set; returns whether it ended by itself. Its error is raised."""
    begun, stopped = asyncio.ensure_future(work), asyncio.ensure_future(stop.wait())
    try:
        await asyncio.wait([begun, stopped], return_when=asyncio.FIRST_COMPLETED)
        if begun.done():
            begun.result()
        return begun.done()
    finally:
        begun.cancel()
        stopped.cancel()


async def until_first_ends(stop: asyncio.Event, *works: Any) -> None:
    """Run all ``works`` concurrently until ``stop`` is set or one of them ends; then cancel all.

    Raises the error of one of them, if any.
    """
    tasks = [asyncio.ensure_future(work) for work in works]
    stopped = asyncio.ensure_future(stop.wait())
    try:
        await asyncio.wait([stopped, *tasks], return_when=asyncio.FIRST_COMPLETED)
    finally:
        stop.set()
        for task in (stopped, *tasks):
            task.cancel()
        endings = await asyncio.gather(*tasks, return_exceptions=True)
    for ending in endings:
        if isinstance(ending, Exception):
            raise ending
