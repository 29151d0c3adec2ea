"""When the lease may be taken: by what was seen, and when."""

from dataclasses import replace

import pytest

from lockstep.api.lease import Lease
from lockstep.process.election.rival import Rival

SECONDS = 15.0


def lease(holder="other", *, seconds=15, uid="a", version="1", renewed="t0"):
    spec = {"holderIdentity": holder, "leaseDurationSeconds": seconds, "renewTime": renewed}
    metadata = {"uid": uid, "resourceVersion": version}
    return Lease(uid=uid, version=version, metadata=metadata, holder=holder, seconds=seconds, transitions=0, spec=spec)


NEVER_HELD = Lease(uid="a", version="1", metadata={}, holder="", seconds=0, transitions=0, spec={})
GIVEN_BACK = lease("", seconds=1)
EMPTIED = lease("", seconds=15)


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
        pytest.param([(100, EMPTIED)], 15, id="a lease that somebody has emptied"),
        pytest.param([(90, lease()), (100, lease())], 5, id="no renewal since"),
        pytest.param([(90, lease()), (100, lease(renewed="t1"))], 15, id="a renewal"),
        pytest.param([(90, lease()), (100, lease(version="2"))], 5, id="a label"),
        pytest.param([(80, lease()), (100, lease())], 0, id="time is up"),
        pytest.param([(90, lease()), (100, GIVEN_BACK)], 0, id="given back by its holder"),
        pytest.param([(90, lease()), (100, None)], 15, id="deleted"),
        pytest.param([(90, None), (100, None)], 5, id="deleted for a while"),
        pytest.param(
            [(90, lease()), (98, None), (100, replace(NEVER_HELD, uid="b"))],
            13,
            id="deleted, and an empty one in its place",
        ),
        pytest.param(
            [(90, lease()), (100, lease("", seconds=1, uid="b"))], 5, id="another one in its place, as if given back"
        ),
    ],
)
def test_lease_counts_as_held(sights, want):
    assert seconds_left(100, *sights) == want
