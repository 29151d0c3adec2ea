"""While a cluster is read, other tasks of the event loop go on: the server of answers reads while it answers."""

import asyncio

import pytest

from lockstep.answers.reading import cluster

pytestmark = pytest.mark.asyncio


async def test_other_tasks_go_on_while_a_page_is_parsed(monkeypatch):
    parsed, seen = [], []

    async def pages(*_, **__):
        yield {"items": [*range(500)]}

    async def watch():
        while True:
            seen.append(len(parsed))
            await asyncio.sleep(0)

    monkeypatch.setattr(cluster, "pages", pages)
    looking = asyncio.create_task(watch())
    await cluster._read_pages(None, None, parsed.append, "")
    looking.cancel()

    assert parsed == [*range(500)]
    assert len(seen) >= 10
