"""A quota that others use up between a gang's reservation and its last member."""

import pytest

from builders.manifests import foreign_pod, gang
from eventually import eventually
from live.proxy import Moment


@pytest.fixture
def operator(operator_behind_proxy):
    """An operator whose requests are seen."""
    return operator_behind_proxy


def test_condition_of_the_gang_that_it_keeps_out_says_so_until_there_is_room(operator, proxy, arena):
    [node] = arena.add_nodes(1)
    arena.create_quota("small", pods="3")
    created = []

    def use_quota(asked, moment):
        if moment is Moment.AFTER and not created and '"reservedAt"' in asked.text:
            created.append("foreign")
            arena.create(foreign_pod("foreign", node, cpu="100m"))
        return True

    proxy.witness = use_quota
    arena.submit(gang("heat", size=3))

    [event, *_] = arena.until_events("heat", "QuotaExceeded")
    assert "exceeded quota: small" in event["note"]
    eventually(lambda: " QuotaExceeded " in " ".join(described(arena).split()))
    eventually(lambda: not arena.pods("heat"))
    proxy.reset()
    arena.delete_pod("foreign")

    arena.until_placed("heat")
    assert arena.status("heat")["attempt"] > 1


def described(arena):
    """The events that kubectl shows of the gang."""
    return arena.api.kubectl("describe", "gangjob", "heat", f"--namespace={arena.namespace}").partition("\nEvents:")[2]
