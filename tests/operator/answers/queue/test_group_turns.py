"""When groups of a FairShare have their turns, and why, in what ``lockstep queue`` shows."""

from coschedule import GangKey
from lockstep.answers.queue.group_turns import group_turns, turn_lines
from lockstep.answers.queue.queue import Queued
from lockstep.answers.queue.queue_text import queue_document
from lockstep.facts.fair_share import CountedUse, FairShare, NamedGroup

GROUPS = (
    NamedGroup("physics", 3, ("heat", "plasma")),
    NamedGroup("biology", 1, ("fold",)),
    NamedGroup("others", 1, ()),
)


def fair_share(**used):
    counted = CountedUse(at=0.0, by_group=used) if used else None
    return FairShare(uid="uid", resource_version="1", groups=GROUPS, counted=counted)


def queued(namespace, position):
    return Queued(gang=GangKey(namespace, "g"), behind="It waits.", position=position)


QUEUE = [queued("fold", 1), queued("heat", 2), queued("plasma", 3), queued("new", None)]


def test_each_group_with_gangs_that_wait_has_a_line():
    turns = group_turns(QUEUE, fair_share(physics=60.0, biology=28.0, others=12.0))

    assert list(turn_lines(turns)) == [
        "",
        "Group biology has used 1.4 times its share lately: 1 of its gangs waits, the first at position 1.",
        "Group physics has used 1.0 times its share lately: 2 of its gangs wait, the first at position 2.",
        "Group others has used 0.6 times its share lately: 1 of its gangs waits.",
    ]
    assert queue_document(QUEUE, [], 0.0, turns)["groups"][0] == {
        "group": "biology",
        "waiting": 1,
        "first": 1,
        "use": "has used 1.4 times its share lately",
    }


def test_groups_that_have_used_nothing_say_so():
    [turn] = group_turns([queued("heat", 1)], fair_share())

    assert turn.use == "has used nothing, like all other groups"


def test_nothing_is_shown_of_groups_without_gangs_that_wait():
    assert list(turn_lines(group_turns([], fair_share()))) == []
