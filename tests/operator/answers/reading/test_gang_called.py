"""Gangs that a user may mean."""

from coschedule import GangKey
from lockstep.answers.reading.gang_called import gangs_of_owner_called
from lockstep.facts.gang.keys import pod_gang_key


def test_gangs_with_the_name_and_those_of_owners_with_the_name_may_be_meant():
    known = [
        GangKey("team", "train"),
        pod_gang_key("team", "job.train"),
        pod_gang_key("team", "job.train2"),
        pod_gang_key("other", "jobset.train"),
        pod_gang_key("team", "train"),
    ]

    assert gangs_of_owner_called(GangKey("team", "train"), known) == ["gang/job.train", "gang/train"]
    assert gangs_of_owner_called(GangKey("team", "job.train"), known) == ["gang/job.train"]
    assert gangs_of_owner_called(GangKey("team", "cold"), known) == []
