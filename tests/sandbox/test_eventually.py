import asyncio

import pytest

from eventually import eventually, eventually_async


def assert_later(answers):
    answer = next(answers)
    assert answer != "not yet"
    return answer


@pytest.mark.parametrize("answers", [[False, "", "found"], ["not yet", "found"]], ids=["returned", "asserted"])
def test_eventually_returns_the_first_true_answer(answers):
    first, second = iter(answers), iter(answers)

    async def awaited():
        return assert_later(second)

    assert eventually(lambda: assert_later(first)) == "found"
    assert asyncio.run(eventually_async(awaited)) == "found"


@pytest.mark.parametrize(
    ("answer", "want_message"),
    [pytest.param([], r"still \[\] after 0 seconds", id="returned"), pytest.param("not yet", "not yet", id="asserted")],
)
def test_eventually_fails_after_the_deadline_with_the_last_answer(answer, want_message):
    def probe():
        return assert_later(iter([answer]))

    async def awaited():
        return probe()

    with pytest.raises(AssertionError, match=want_message):
        eventually(probe, seconds=0)
    with pytest.raises(AssertionError, match=want_message):
        asyncio.run(eventually_async(awaited, seconds=0))
