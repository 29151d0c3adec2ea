"""Factors that all gangs have are just other slow-downs, whatever the gangs are, were promised and keep."""

from dataclasses import replace

import numpy as np
import pytest

from coschedule.model.kinds import NO_KIND
from coschedule.queue.choosing.own_speeds import own_snapshot
from coschedule.queue.keeping.memory import remembering
from coschedule.queue.plan import plan
from coschedule.queue.problem.decisions import Placement
from engine.builders import gang, seeded
from engine.queue.test_plan_properties import cluster


def with_factors(rnd, snap, factors):
    """The same factors for all gangs: just as if all nodes of these kinds had another slow-down."""
    kinds = np.array([rnd.choice([NO_KIND, 0, 1, 2]) for _ in snap.nodes.names])
    return replace(snap, kinds=kinds, gangs=tuple(replace(one, factors=factors) for one in snap.gangs))


def as_slow_for_all(snap):
    own = own_snapshot(snap.gangs[0], snap)
    return replace(own, gangs=tuple(replace(one, factors=()) for one in own.gangs))


def random_factors(rnd):
    return tuple(gang(factors=[(kind, rnd.choice([0.5, 2, 0.3 + rnd.random()])) for kind in (0, 2)]).factors)


@pytest.mark.parametrize("promises", ["Conservative", "Slack", "None"])
@pytest.mark.parametrize("seed", range(4))
def test_factors_that_all_gangs_have_are_as_other_slow_downs(seed, promises):
    rnd = seeded(seed)
    snap = replace(with_factors(rnd, cluster(rnd), random_factors(rnd)), promises=promises, most_holding=2)

    made = plan(snap)

    assert without_own_times(made) == plan(as_slow_for_all(snap)).decisions
    assert any(isinstance(one, Placement) for one in made.decisions)
    later = remembering(snap, snap, made)
    assert without_own_times(plan(later)) == plan(as_slow_for_all(later)).decisions


def without_own_times(made):
    """What only a gang with factors has."""
    return tuple(replace(one, own_times=1.0) if isinstance(one, Placement) else one for one in made.decisions)
