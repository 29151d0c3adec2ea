"""A GangJob that is too large to be read in one turn of the event loop is placed, followed and forgotten like any."""

import pytest

from builders.manifests import gang
from lockstep.watch.reader import BYTES_OF_TURN

pytestmark = pytest.mark.usefixtures("operator")


def large(name, **shape):
    return {**gang(name, **shape), "metadata": {"name": name, "annotations": {"text": "x" * 2 * BYTES_OF_TURN}}}


def test_large_gang_runs_to_its_end(arena):
    arena.add_nodes(1)
    arena.submit(large("heat", run_for="1s"))

    arena.until_complete("heat")


def test_large_gang_is_resized_and_deleted(arena):
    arena.add_nodes(1, cpu="4")
    arena.submit(large("heat", size=9))
    arena.until("heat", "Placed", "False", "NotEnoughRoom")
    arena.api.request("PATCH", f"{arena.gangs}/heat", {"spec": {"size": {"min": 2, "max": 2}}})
    arena.until_placed("heat")
    arena.delete_gang("heat")

    arena.until_no_pods("heat")
