"""Gangs get no more members than ResourceQuotas allow, as a real API server and its controllers count them."""

import pytest

from builders.manifests import gang

pytestmark = pytest.mark.usefixtures("operator")


def test_gang_gets_as_many_members_as_its_quota_allows(arena):
    arena.add_nodes(4)
    arena.create_quota("small", **{"requests.cpu": "5"})

    arena.submit(gang("heat", size=(2, 12), work={"serialTime": "10m"}))

    arena.until_placed("heat")
    assert (len(arena.pods("heat")), arena.status("heat")["attempt"]) == (5, 1)
    planned = arena.condition("heat", "Planned")["message"]
    assert planned.endswith("It would be fastest with 12 members, by its run times; quota small allows 5 now.")


def test_gang_waits_untried_until_its_quota_has_room(arena):
    arena.add_nodes(4)
    arena.create_quota("small", pods="3")
    arena.submit(gang("first", size=2))
    arena.until_placed("first")
    arena.submit(gang("second", size=2))
    arena.submit(gang("giant", size=4))

    refused = arena.until("giant", "Planned", "False", "QuotaExceeded")
    assert refused["message"] == "It needs 4 members, which take 4 of pods; quota small allows 3."
    arena.until("second", "Planned", "False", "QuotaExceeded")
    arena.delete_gang("first")

    arena.until_placed("second")
    assert arena.status("second")["attempt"] == 1
    arena.raise_quota("small", pods="6")
    arena.until_placed("giant")
    assert arena.status("giant")["attempt"] == 1
