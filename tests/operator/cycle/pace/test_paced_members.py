"""Which members can be paced, and what is kept of them: by their roles."""

from dataclasses import replace

import pytest

from builders.facts import member_fact
from lockstep.cycle.pace.paced_members import Obstacle, PacedMember, given_back, how_many_paced, obstacles, unpaced_of
from lockstep.facts.pods.pace import ContainerCpu, Cpu, MemberCpu, Unpaced
from lockstep.facts.pods.pod import PodPhase


def member(rank, *cpus, role="", **more):
    containers = tuple(ContainerCpu(f"c{number}", cpu) for number, cpu in enumerate(cpus))
    pod = member_fact(rank=rank, node="n1", phase=PodPhase.RUNNING)
    return PacedMember(replace(pod, cpu=MemberCpu(containers=containers, **more)), role, "n1", waits=True)


ONE, TWO, NONE = Cpu(1000, None), Cpu(2000, 3000), Cpu(0, None)


def test_what_a_role_has_is_kept_once():
    members = [member(0, ONE, NONE, role="a"), member(1, ONE, NONE, role="a"), member(2, TWO, role="b")]

    assert unpaced_of(members) == (Unpaced("a", "c0", ONE), Unpaced("b", "c0", TWO))
    assert obstacles(members, unpaced_of(members)) == {}


@pytest.mark.parametrize(
    ("members", "why"),
    [
        ([member(0, NONE)], Obstacle.NO_REQUEST),
        ([member(0, ONE, is_of_whole=True)], Obstacle.OF_WHOLE),
        ([member(0, ONE), member(1, TWO)], Obstacle.DIFFERENT),
        ([member(0, ONE), member(1, ONE, TWO)], Obstacle.DIFFERENT),
        ([member(0, *[ONE] * 65)], Obstacle.NOT_KNOWN),
    ],
)
def test_role_that_can_not_be_paced(members, why):
    assert unpaced_of(members) == ()
    assert obstacles(members, ()) == {why: len(members)}


def test_what_is_given_back_is_what_is_requested_less():
    unpaced = (Unpaced("", "c0", TWO), Unpaced("", "c1", ONE))
    members = [member(0, Cpu(500, 550), Cpu(250, 275)), member(1, TWO, ONE), member(2, Cpu(2000, 2900), ONE)]

    assert how_many_paced(members, unpaced) == 2
    assert given_back(members, unpaced) == 2250


def test_member_with_other_containers_than_were_kept_is_left_alone():
    unpaced = (Unpaced("", "gone", TWO),)

    assert how_many_paced([member(0, ONE)], unpaced) == 0
    assert given_back([member(0, ONE)], unpaced) == 0
