"""Owners that wait for a size in queues of Kueue come to plans in turns, by namespace."""

from dataclasses import replace

from builders.facts import gang_fact
from coschedule import GangKey
from lockstep.belief.podgangs.queued_owners import QueuedOwners
from lockstep.facts.gang.sized_owner import SizedOwner
from lockstep.facts.gang.source import Source


def owner(name, namespace="a", *, version="1", is_queued=True):
    return SizedOwner(
        gang=GangKey(namespace, name),
        source=Source.JOB,
        name=name,
        uid=f"uid-of-{name}",
        resource_version=version,
        awaits_size=False,
        sizes=range(2, 7),
        is_queued=is_queued,
    )


def gang_of(owner):
    """The gang that an owner would be."""
    return replace(gang_fact(), key=owner.gang)


def known(owners):
    """Owners that are all learned."""
    found = QueuedOwners()
    for one in owners:
        found.apply(one)
        assert found.learn(one, gang_of(one))
    return found


def turns(owners, most):
    return [gang.key.name for gang in owners.take_turns(most)]


def test_each_namespace_has_its_turn_however_many_another_has():
    owners = known([*(owner(f"a{number}") for number in range(50)), owner("b0", "b"), owner("c0", "c")])

    assert sorted(turns(owners, 3)) == ["a0", "b0", "c0"]
    assert {"b0", "c0"} <= set(turns(owners, 3))


def test_all_have_a_turn_before_one_has_another():
    owners = known([owner(f"a{number}") for number in range(7)])

    assert [*turns(owners, 3), *turns(owners, 3), *turns(owners, 1)] == [f"a{number}" for number in range(7)]
    assert not owners.any_untried
    assert turns(owners, 20) == [f"a{number}" for number in range(7)]


def test_each_has_one_turn_in_a_plan_and_untried_ones_are_known():
    owners = known([owner("a0"), owner("a1"), owner("b0", "b")])

    assert owners.any_untried
    assert sorted(turns(owners, 20)) == ["a0", "a1", "b0"]
    assert not owners.any_untried


def test_each_has_a_turn_again_after_facts_have_changed():
    owners = known([owner("a0"), owner("a1"), owner("a2")])
    turns(owners, 20)

    owners.try_again()

    assert [*turns(owners, 2), *turns(owners, 1)] == ["a0", "a1", "a2"]
    assert not owners.any_untried


def test_change_of_an_owner_makes_its_gang_unknown():
    owners = known([owner("a0")])
    newer = owner("a0", version="2")

    assert owners.apply(newer)
    assert owners.is_unknown(newer.gang)
    assert turns(owners, 20) == []
    assert not owners.learn(owner("a0"), gang_of(owner("a0")))


def test_owner_that_waits_no_longer_is_forgotten_and_one_of_another_uid_stays():
    owners = known([owner("a0")])
    owners.remove(GangKey("a", "a0"), "uid-of-another")
    assert owners.of(GangKey("a", "a0"))

    assert owners.apply(owner("a0", is_queued=False))
    assert not owners.apply(owner("a0", is_queued=False))
    assert not owners.any_known
    assert not owners.any_untried
    assert owners.of(GangKey("a", "a0")) is None
