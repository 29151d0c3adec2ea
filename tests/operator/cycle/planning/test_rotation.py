"""Who is planned exactly, in a queue that is longer than one plan can be."""

from dataclasses import replace

from builders.facts import gang_fact
from coschedule import Placement, Reason, Spelled, Unplaceable
from lockstep.cycle.planning.rotation import Rotation

IN_FRONT = 8


def queue(count, *, first=0):
    return [gang_fact(f"g{number:03}") for number in range(first, first + count)]


def placed(gang):
    return Placement(
        gang=gang.key,
        size=1,
        start=0.0,
        finish=1.0,
        speedup=None,
        members=(),
        slowest="n1",
        latest=None,
        alternative=None,
    )


def refused(gang):
    return Unplaceable(gang=gang.key, refusal=Spelled(reason=Reason.WINDOW_TOO_SHORT, sentence=""))


def plan_once(rotation, gangs, decide, *, always=(), has_changed=True):
    """Choose, and note what ``decide`` says of each; returns the names of front and of those in turn."""
    chosen = rotation.choose(gangs, always=always, has_changed=has_changed)
    for gang in gangs:
        if gang.key in chosen:
            rotation.record(gang, decide(gang))
    return [sorted(key.name for key in keys) for keys in (chosen.front, chosen.in_turn)]


def test_refused_gang_is_in_front_of_gangs_that_fit_nowhere():
    """A hundred gangs that fit nowhere are in front of a gang that waits for the end of others."""
    rotation, nowhere, waits = Rotation(IN_FRONT), queue(100), gang_fact("z")

    def decide(gang):
        return replace(refused(gang), fits_empty=gang is waits)

    plans = [plan_once(rotation, [*nowhere, waits], decide)[0] for _ in range(100)]

    assert plans[-1] == ["g000", "g001", "g002", "g003", "g004", "g005", "g006", "z"]
    assert [rotation.fits_nowhere(gang) for gang in (nowhere[-1], waits)] == [True, False]


def test_short_queue_is_planned_whole():
    gangs = queue(IN_FRONT)

    assert plan_once(Rotation(IN_FRONT), gangs, refused) == [[gang.key.name for gang in gangs], []]


def test_gangs_in_front_are_planned_in_every_plan_and_the_others_in_turn():
    rotation, gangs = Rotation(IN_FRONT), queue(14)
    turns = [plan_once(rotation, gangs, placed) for _ in range(4)]

    assert [front for front, _ in turns] == [[f"g{number:03}" for number in range(8)]] * 4
    assert [in_turn for _, in_turn in turns] == [["g008", "g009"], ["g010", "g011"], ["g012", "g013"], ["g008", "g009"]]


def test_hopeless_gangs_do_not_use_up_the_bound():
    """A thousand gangs of as many hopeless shapes are in front of one that fits."""
    rotation, hopeless, good = Rotation(64), queue(1000), gang_fact("z")
    plans, front = 0, []

    def decide(gang):
        return placed(gang) if gang is good else refused(gang)

    while good.key.name not in front:
        front, _ = plan_once(rotation, [*hopeless, good], decide)
        plans += 1

    assert plans <= 1000 / 64 + 2
    for _ in range(5):
        front, _ = plan_once(rotation, [*hopeless, good], decide)
        assert "z" in front


def test_everybody_has_a_turn_after_facts_have_changed():
    rotation, gangs = Rotation(IN_FRONT), queue(100)
    plan_once(rotation, gangs, placed)
    plans = 1
    while rotation.any_unplanned(gangs):
        plan_once(rotation, gangs, placed, has_changed=False)
        plans += 1

    assert plans == (100 - 8) / 2
    plan_once(rotation, gangs, placed, has_changed=True)
    assert rotation.any_unplanned(gangs)


def test_gang_that_holds_nodes_is_always_planned():
    rotation, gangs = Rotation(IN_FRONT), queue(40)
    for _ in range(20):
        plan_once(rotation, gangs, refused)
    front, _ = plan_once(rotation, gangs, refused, always=[gangs[0].key])

    assert "g000" in front


def test_gang_of_another_spec_counts_as_new():
    rotation, gangs = Rotation(IN_FRONT), queue(40)
    for _ in range(20):
        plan_once(rotation, gangs, refused)
    gangs[30] = gang_fact("g030", generation=2)
    front, _ = plan_once(rotation, gangs, refused)

    assert front == ["g000", "g001", "g002", "g003", "g004", "g005", "g006", "g030"]


def test_gangs_in_front_that_were_refused_are_planned_in_every_plan():
    """No gang can be planned while the end of what runs is unknown; and then it ends."""
    rotation, gangs = Rotation(IN_FRONT), queue(40)
    for _ in range(20):
        plan_once(rotation, gangs, refused)

    for _ in range(5):
        front, _ = plan_once(rotation, gangs, refused)
        assert front == [f"g{number:03}" for number in range(8)]
