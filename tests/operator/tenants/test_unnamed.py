"""No refusal and no change in an answer names a gang of another namespace."""

import dataclasses
import typing

import pytest

import coschedule
from coschedule import (
    AffinityDropped,
    Blocker,
    FewerMembers,
    GangEnds,
    GangKey,
    GangLeaves,
    HeldByGangsInFront,
    NotEnoughRoom,
    OfRole,
    PlanningFailed,
)
from engine.builders import running
from lockstep.report.text.operator_refusals import RefusedInPool
from lockstep.report.text.refusal_sentences import format_refusal
from lockstep.tenants.unnamed import MOST_TRIED, own_changes, unnamed_refusal

BLOCKER = Blocker(gang=GangKey("zebra", "okapi"), nodes=3, others=1)


def refusal_of(kind, **more):
    """A refusal of that kind, with something in each field that has no default."""
    given = {}
    for one in dataclasses.fields(kind):
        if one.default is dataclasses.MISSING and one.default_factory is dataclasses.MISSING:
            given[one.name] = more.get(one.name, 3)
    return kind(**{**given, **more})


def not_enough(**more):
    fields = {"failures": (), "short": (), "scarcest": None}
    return refusal_of(NotEnoughRoom, **{**fields, **more})


BLOCKED = [
    pytest.param(not_enough(blocker=BLOCKER), id="room"),
    pytest.param(refusal_of(HeldByGangsInFront, blocker=BLOCKER, nominated=False), id="in front"),
    pytest.param(OfRole(role="worker", refusal=not_enough(blocker=BLOCKER)), id="role"),
    pytest.param(RefusedInPool(refusal=not_enough(blocker=BLOCKER)), id="pool"),
    pytest.param(
        OfRole(role="worker", refusal=RefusedInPool(refusal=not_enough(blocker=BLOCKER))), id="role in the pool"
    ),
]


@pytest.mark.parametrize("refusal", BLOCKED)
def test_gang_in_the_way_is_left_out(refusal):
    assert "zebra/okapi" in format_refusal(refusal)
    assert "3 members" in unnamed_refusal(refusal).lower()
    assert [name for name in ("zebra", "okapi") if name in unnamed_refusal(refusal)] == []


def test_error_of_the_planner_is_not_shown():
    failed = PlanningFailed(error="KeyError", message="GangKey(namespace='zebra', name='okapi')")

    assert (
        unnamed_refusal(failed)
        == "The planner failed on it, by an error in Lockstep: KeyError: the operator's log says more."
    )


def test_no_other_refusal_has_a_gang():
    """A new one that has shows up here: it has to be handled beside these."""
    refusals = [
        one
        for one in vars(coschedule).values()
        if isinstance(one, type) and dataclasses.is_dataclass(one) and "reason" in vars(one)
    ]
    with_gangs = {
        one.__name__
        for one in refusals
        if any("Blocker" in str(hint) or "GangKey" in str(hint) for hint in typing.get_type_hints(one).values())
    }

    assert len(refusals) > 10
    assert with_gangs - {coschedule.Unplaceable.__name__} == {"NotEnoughRoom", "HeldByGangsInFront"}


def test_only_changes_of_the_namespace_are_tried_and_no_more_than_a_plan_can_pay_for():
    own = running("mine", 0, end=1.0)
    foreign = dataclasses.replace(own, key=GangKey("zebra", "okapi"))
    changes = [
        GangEnds(gang=foreign),
        GangEnds(gang=own),
        GangLeaves(gang=foreign.key),
        GangLeaves(gang=own.key),
        AffinityDropped(),
        *(FewerMembers(role="") for _ in range(MOST_TRIED)),
    ]

    tried = [*own_changes(own.key.namespace, changes)]

    assert tried[:3] == [GangEnds(gang=own), GangLeaves(gang=own.key), AffinityDropped()]
    assert len(tried) == MOST_TRIED
