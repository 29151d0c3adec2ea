"""When the lease may be taken: by what was seen, and when."""

from dataclasses import replace

import pytest

from lockstep.api.cluster.lease import LeaseHolder, given_back_lease, held_lease, read_lease
from lockstep.process.election.rival import Rival

SECONDS = 15.0
OTHER = LeaseHolder.of_instance("other")


def served(manifest, *, uid="a", version="1"):
    """The lease as the API server shows what was written."""
    return read_lease({**manifest, "metadata": {**manifest["metadata"], "uid": uid, "resourceVersion": version}})


def lease(*, seconds=15, uid="a", version="1", renewed=0.0):
    return served(held_lease(NEVER_HELD, OTHER, seconds=seconds, now=renewed), uid=uid, version=version)


def with_spec(spec, *, uid="a"):
    """A lease that was held, after a user has changed what stands there."""
    return served({"metadata": dict(lease().metadata), "spec": spec}, uid=uid)


NEVER_HELD = served({"metadata": {}, "spec": {}})
GIVEN_BACK = served(given_back_lease(lease(), OTHER, now=5.0))
GIVEN_BACK_BY_NO_PROCESS = with_spec({"holderIdentity": "", "leaseDurationSeconds": 1})
EMPTIED = with_spec({"holderIdentity": "", "leaseDurationSeconds": 15})


def seconds_left(now, *sights):
    rival = Rival(seconds=SECONDS)
    for seen_at, what in sights:
        rival.see(what, seen_at)
    return rival.seconds_left(now)


@pytest.mark.parametrize(
    ("sights", "want"),
    [
        pytest.param([], 15, id="nothing was seen yet"),
        pytest.param([(100, NEVER_HELD)], 0, id="a lease that was never held"),
        pytest.param([(100, GIVEN_BACK)], 0, id="a lease that was given back"),
        pytest.param([(100, lease())], 15, id="one that is held, whenever it was renewed"),
        pytest.param([(100, lease(seconds=40))], 40, id="one that is held for longer than our own would be"),
        pytest.param([(100, lease(seconds=1))], 15, id="one that says it is held for a second"),
        pytest.param([(100, None)], 15, id="a lease that is missing"),
        pytest.param([(100, EMPTIED)], 15, id="a lease that a user has emptied"),
        pytest.param([(90, lease()), (100, lease())], 5, id="no renewal since"),
        pytest.param([(90, lease()), (100, lease(renewed=1.0))], 15, id="a renewal"),
        pytest.param([(90, lease()), (100, lease(version="2"))], 5, id="a label"),
        pytest.param([(80, lease()), (100, lease())], 0, id="time is up"),
        pytest.param([(90, lease()), (100, GIVEN_BACK)], 0, id="given back by its holder"),
        pytest.param([(100, GIVEN_BACK_BY_NO_PROCESS)], 15, id="as if given back, at first sight"),
        pytest.param([(90, lease()), (100, GIVEN_BACK_BY_NO_PROCESS)], 15, id="as if given back"),
        pytest.param([(90, lease()), (100, with_spec({}))], 15, id="nothing is written there any more"),
        pytest.param([(90, lease()), (100, NEVER_HELD)], 15, id="nothing is left, as if it was never held"),
        pytest.param([(90, replace(lease(), transitions=2)), (100, GIVEN_BACK)], 15, id="set back to an earlier end"),
        pytest.param([(90, lease()), (100, replace(GIVEN_BACK, transitions=2))], 0, id="given back by one not seen"),
        pytest.param([(90, lease(seconds=40)), (100, None)], 40, id="deleted under one who holds it for longer"),
        pytest.param([(90, lease(seconds=40)), (100, EMPTIED)], 40, id="emptied under one who holds it for longer"),
        pytest.param([(90, lease(seconds=40)), (100, NEVER_HELD)], 40, id="wiped under one who holds it for longer"),
        pytest.param([(95, NEVER_HELD), (100, lease())], 15, id="taken by another"),
        pytest.param([(95, None), (100, lease())], 15, id="made by another"),
        pytest.param([(90, lease()), (100, None)], 15, id="deleted"),
        pytest.param([(90, None), (100, None)], 5, id="deleted for a while"),
        pytest.param(
            [(90, lease()), (98, None), (100, replace(NEVER_HELD, uid="b"))],
            13,
            id="deleted, and an empty one in its place",
        ),
        pytest.param(
            [(90, lease()), (100, replace(GIVEN_BACK, uid="b"))], 5, id="another one in its place, given back"
        ),
    ],
)
def test_lease_counts_as_held(sights, want):
    assert seconds_left(100, *sights) == want
