"""The scarcest resource of a gang that fits nowhere, beside counting members one by one."""

import pytest

from coschedule.queue.problem.refusals import NotEnoughRoom, Scarcest
from engine.builders import gang, node, only, seeded

RESOURCES = ("cpu", "gpu", "memory")


@pytest.mark.parametrize("seed", range(150))
def test_scarcest_resource_is_the_one_that_alone_allows_fewest_members(seed):
    rnd = seeded(seed)
    amounts = [tuple(rnd.randrange(-1, 7) for _ in RESOURCES) for _ in range(rnd.randrange(1, 5))]
    request, size = tuple(rnd.randrange(3) for _ in RESOURCES), rnd.randrange(2, 9)
    nodes = [node(f"n{number}", free=free) for number, free in enumerate(amounts)]

    found = only(nodes, gang(size=size, serial=1, request=request), resources=RESOURCES)

    allowed = {
        name: sum(fitting(free[index], request[index], size) for free in amounts)
        for index, name in enumerate(RESOURCES)
        if request[index]
    }
    together = sum(
        min((fitting(free, each, size) for free, each in zip(node_, request, strict=True) if each), default=size)
        for node_ in amounts
    )
    if together >= size:
        assert not hasattr(found, "refusal")
        return
    assert isinstance(found.refusal, NotEnoughRoom)
    least = min(allowed.values())
    first = next(name for name in RESOURCES if allowed.get(name) == least)
    each = request[RESOURCES.index(first)]
    assert found.refusal.scarcest == (Scarcest(resource=first, each=each, fit=least) if least < size else None)


def fitting(free, each, most):
    """How many members of ``each`` fit one after the other, up to ``most``."""
    count = 0
    while count < most and free >= each:
        count, free = count + 1, free - each
    return count
