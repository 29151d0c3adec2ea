"""How lists are read: pages of so many objects as their bytes allow, none of which outlives the next."""

import pytest

from fake_cluster.scripted import ScriptedServer, page, status
from lockstep.api.client.answer import Target
from lockstep.api.client.client import KubeClient
from lockstep.watch.page_size import LARGEST_ANSWER_BYTES, PageSize
from lockstep.watch.pages import ListError, pages

THINGS = Target("/api/v1/things", "things")
MIB = 2**20


def thing(name, size=0):
    return {"metadata": {"name": name}, "data": "x" * size}


async def read(*script):
    """Read the whole list: names by page as it came, the pages as they are at last, and what was asked for."""
    read_at_once, kept = [], []
    async with (
        ScriptedServer(*script) as server,
        KubeClient(server.configuration, concurrency=1, observer=lambda *_: None) as client,
    ):
        async for one in pages(client, THINGS):
            read_at_once.append([item["metadata"]["name"] for item in one["items"]])
            kept.append(one["items"])
    return read_at_once, kept, [(one.query["limit"], one.query.get("continue", "")) for one in server.asked]


@pytest.mark.parametrize(
    ("sizes", "want"),
    [
        pytest.param([0, 0, 0, 0, 0], [8, 32, 128, 500, 500, 500], id="empty pages"),
        pytest.param([1000, 4000, 16_000], [8, 32, 128, 500], id="small objects"),
        pytest.param([4 * MIB], [8, 2], id="objects of half a MiB"),
        pytest.param([4 * MIB, MIB, MIB], [8, 2, 2, 2], id="it stays where it suits"),
        pytest.param([100 * MIB, 100 * MIB], [8, 1, 1], id="one at least"),
        pytest.param([100 * MIB, 1000, 4000, 16_000], [8, 1, 4, 16, 64], id="small ones after a large one"),
    ],
)
def test_page_has_as_many_objects_as_the_bytes_of_the_last_one_allow(sizes, want):
    size, limits = PageSize(), []
    for one in sizes:
        limits.append(size.limit)
        size.answered(one)

    assert [*limits, size.limit] == want


@pytest.mark.parametrize(("times", "want"), [(1, 2), (2, 1), (3, 1)])
def test_page_after_one_that_was_cut_off_has_a_quarter_of_the_objects(times, want):
    size = PageSize()
    for _ in range(times):
        size.cut_off()

    assert size.limit == want


@pytest.mark.asyncio
async def test_page_is_emptied_when_the_next_is_asked_for():
    names, kept, _ = await read(
        page(thing("a"), following="to-b"), page(thing("b"), following="to-c"), page(thing("c"))
    )

    assert names == [["a"], ["b"], ["c"]]
    assert [len(items) for items in kept] == [0, 0, 1]


@pytest.mark.asyncio
async def test_page_that_is_too_large_is_asked_for_again_with_fewer_objects():
    small, large = page(thing("a"), following="to-b"), page(thing("b", LARGEST_ANSWER_BYTES))
    names, _, asked = await read(small, large, large, large, page(thing("b"), following="to-c"), page(thing("c")))

    assert names == [["a"], ["b"], ["c"]]
    assert asked == [("8", ""), ("32", "to-b"), ("8", "to-b"), ("2", "to-b"), ("1", "to-b"), ("4", "to-c")]


@pytest.mark.asyncio
async def test_object_that_is_larger_than_any_page_is_read_by_itself():
    large = page(thing("a", LARGEST_ANSWER_BYTES))
    names, _, asked = await read(large, large, large)

    assert names == [["a"]]
    assert [limit for limit, _ in asked] == ["8", "2", "1"]


@pytest.mark.asyncio
async def test_page_that_is_refused_says_why():
    with pytest.raises(ListError, match="forbidden"):
        await read(status(403, "forbidden"))
