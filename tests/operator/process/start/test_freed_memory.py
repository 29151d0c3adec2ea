"""The task that gives memory back never ends by itself, since the process would end with it."""

import asyncio
from types import SimpleNamespace

import pytest

from fake_cluster.jumping import until
from lockstep.process.start import freed_memory
from lockstep.process.start.freed_memory import give_back_freed_memory

pytestmark = pytest.mark.asyncio

MIB = 2**20


@pytest.fixture
def library(monkeypatch):
    """Sets the C library of the process."""

    def be(**functions):
        monkeypatch.setattr(freed_memory.ctypes, "CDLL", lambda _: SimpleNamespace(**functions))

    return be


@pytest.fixture
def resident(monkeypatch, tmp_path):
    """Sets how much memory the process has."""
    statm = tmp_path / "statm"
    monkeypatch.setattr(freed_memory, "_STATM", statm)
    monkeypatch.setattr(freed_memory, "getpagesize", lambda: MIB)
    return lambda mebibytes: statm.write_text(f"9000 {mebibytes} 0")


async def test_without_glibc_it_waits_for_ever(library):
    library()
    task = asyncio.create_task(give_back_freed_memory())

    done, _ = await asyncio.wait({task}, timeout=3600)

    assert not done
    task.cancel()


async def test_memory_is_given_back_each_time_that_there_is_much_more_of_it(library, resident):
    given = []

    def trim(_):
        resident(110)
        given.append(True)

    library(malloc_trim=trim)
    resident(100)
    task = asyncio.create_task(give_back_freed_memory())
    await asyncio.sleep(60)
    assert given == []
    for times in (1, 2):
        resident(140)
        await until(lambda times=times: len(given) == times)
    await asyncio.sleep(60)

    assert len(given) == 2
    assert not task.done()
    task.cancel()
