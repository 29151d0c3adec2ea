"""When a group may next take back: beside small steps of time, for random groups."""

import math

import pytest

from coschedule import FairShares, GangKey, ShareGroup, claim_of
from engine.builders import seeded
from lockstep.belief.shares.accounts import charge_for, decayed
from lockstep.snapshot.holders.next_claim import next_claim

DAY = 86_400.0
STEP = 600.0
CAPACITY = 1000
NOW = 1_000.0


def shares(*groups, capacity=CAPACITY):
    """Groups of (weight, used, held), each with one namespace of its number."""
    return FairShares(
        capacity=(capacity,),
        groups=tuple(
            ShareGroup(name=str(one), weight=weight, used=used, held=(held,), namespaces=(str(one),))
            for one, (weight, used, held) in enumerate(groups)
        ),
    )


def gang(group):
    return GangKey(str(group), "waits")


def after(groups, seconds):
    return [
        (weight, decayed(used, seconds) + charge_for(held / CAPACITY, seconds), held) for weight, used, held in groups
    ]


@pytest.mark.parametrize("seed", range(60))
def test_claim_comes_when_steps_of_time_see_it(seed):
    rng = seeded(seed)
    groups = [
        (float(rng.randint(1, 3)), rng.choice([0.0, 0.5, 1.0]) * DAY, rng.choice([0, 20, 100, 300])) for _ in range(4)
    ]
    waiting = gang(rng.randrange(4))

    found = next_claim(shares(*groups), [waiting], NOW) - NOW

    times = (step * STEP for step in range(int(20 * DAY / STEP)))
    now = givers(groups, waiting)
    seen = next((time for time in times if givers(after(groups, time), waiting) != now), math.inf)
    assert found > 20 * DAY - STEP if seen == math.inf else found == pytest.approx(seen, abs=STEP)


def givers(groups, waiting):
    """The groups from which the gang may take."""
    claim = claim_of(shares(*groups), waiting)
    return () if claim is None else tuple(one is not None for one in claim.spare)


def test_group_that_has_used_as_much_may_take_a_second_later():
    assert next_claim(shares((1.0, 0.0, CAPACITY), (1.0, 0.0, 0)), [gang(1)], NOW) == NOW + 1.0


@pytest.mark.parametrize(
    ("groups", "waits"),
    [
        (shares((1.0, 0.0, CAPACITY)), 0),
        (shares((1.0, 0.0, CAPACITY), (1.0, 0.0, 0)), 0),
        (shares((1.0, 5.0, CAPACITY), (1.0, 4.0, 0)), 1),
        (shares((1.0, 0.0, 500), (1.0, 0.0, 500)), 1),
        (FairShares(), 1),
    ],
    ids=["one-group", "borrows-itself", "may-take-already", "each-its-share", "no-groups"],
)
def test_no_claim_comes_by_time(groups, waits):
    assert next_claim(groups, [gang(waits)], NOW) == math.inf
