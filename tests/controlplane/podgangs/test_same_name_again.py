"""A Job is deleted in the middle of things, and another has its name: that one is placed whole, and never suspended."""

import pytest

from eventually import eventually
from live.bound_in_part import SIZE, create_bound_in_part, have_it_suspended, until_placed_whole

pytestmark = pytest.mark.usefixtures("operator")


@pytest.fixture(scope="module")
def operator(suspending, behind_proxy):
    """An operator that may suspend owners and talks to the proxy; one for all tests of a file."""
    assert suspending
    with behind_proxy("job") as process:
        yield process


def replace_job(gangs, policy):
    """Delete the Job, and create another of its name."""
    gangs.api.request("DELETE", f"{gangs.jobs}/heat?propagationPolicy={policy}")
    eventually(lambda: not gangs.api.request("GET", gangs.jobs)["items"])
    gangs.create_job("", SIZE, name="heat")


@pytest.mark.parametrize("policy", ["Background", "Foreground", "Orphan"])
def test_job_after_one_that_was_bound_in_part_is_placed_whole(arena, gangs, proxy, policy):
    create_bound_in_part(arena, gangs, proxy)

    replace_job(gangs, policy)
    proxy.reset()
    # Orphans may run on as they are, all of them.
    arena.add_nodes(SIZE, cpu="1")

    until_placed_whole(gangs)


@pytest.mark.parametrize("policy", ["Background", "Orphan"])
def test_job_after_one_that_was_suspended_is_placed_whole(arena, gangs, proxy, policy):
    create_bound_in_part(arena, gangs, proxy)
    have_it_suspended(arena, gangs)

    replace_job(gangs, policy)
    proxy.reset()
    arena.add_nodes(2, cpu="1")

    until_placed_whole(gangs)
