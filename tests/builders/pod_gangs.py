"""Gangs of pods that others create, and such pods: a case names only what it is about."""

from builders.facts import DEFAULT, needs, pod_fact
from coschedule import Members
from lockstep.api.pool import ALL_NODES
from lockstep.belief.podgangs.own_pods import PodKind
from lockstep.belief.podgangs.pod_group import PodGroup
from lockstep.belief.podgangs.pod_shapes import role_name
from lockstep.facts.gang.keys import pod_gang_key
from lockstep.facts.gang.pod_gang import GroupMember, PodGang, PodGangSpec, WaitingPod, grouped
from lockstep.facts.gang.source import Source
from lockstep.facts.gang.status import GangStatus
from lockstep.facts.pods.pod import Membership, PodPhase
from lockstep.facts.ranks import MOST_RANKS

SMALL, LARGE, TINY = needs(cpu=1000), needs(cpu=2000), needs(cpu=500)


def waiting_pod(
    name="a",
    *,
    its_needs=SMALL,
    created=10.0,
    priority_class="",
    index=-1,
    labels=(),
    source=Source.PODS,
    preempts=True,
):
    """Describe a pod that waits for a node."""
    return WaitingPod(name, source, created, its_needs, priority_class, labels, index, preempts=preempts)


def group_of(pods, going=0, roles=(), going_role=""):
    """The group of pods that wait, and so many others on nodes; ``roles`` are what the former say, by name."""
    group, gang = PodGroup(), pod_gang_key(DEFAULT, "g")
    for pod in pods:
        group.enter(grouped(pod_fact(pod.name), GroupMember(gang, None, pod, role=dict(roles).get(pod.name, ""))))
    for number in range(going):
        running = pod_fact(f"running-{number}", node="n1", phase=PodPhase.RUNNING)
        seat = Membership(gang, "uid-of-g", 1, number)
        group.enter(grouped(running, GroupMember(gang, seat, None, role=going_role)))
    return group


def role_of(its_needs, pool=ALL_NODES):
    """The role of pods with these needs, if they can be planned."""
    return role_name(PodKind(its_needs, "", Source.PODS, "", ()), pool)


def pod_gang(least=2, most=MOST_RANKS, *, asks=None, created=0.0, status=None, name="g", deleting=False, **spec):
    """Describe a Gang; ``asks`` may be a refusal."""
    return PodGang(
        key=pod_gang_key(DEFAULT, name),
        uid=f"uid-of-{name}",
        resource_version="1",
        generation=1,
        created=created,
        is_deleting=deleting,
        asks=asks or PodGangSpec(minimum=least, maximum=most, **spec),
        status=status or GangStatus(),
    )


def reserving(**counts):
    """Describe a status that reserves that many seats of each role on node n1."""
    members = tuple(Members("n1", count, role=name) for name, count in counts.items())
    return GangStatus(attempt=1, reserved_at=20.0, members=members)
