"""The members of a gang that may be paced: what CPU each one has, and why some can't be paced.

These are members that wait for the slowest one, and members on nodes whose node owners are back and want them paced.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

from lockstep.belief.holding.reservation import Reservation
from lockstep.belief.nodes.node_kinds import NodeKinds
from lockstep.belief.state import State
from lockstep.cycle.pace.pacing import PaceOffer, is_paced
from lockstep.facts.gang.gang import AcceptedGang, GangFact
from lockstep.facts.pods.pace import Cpu, MemberCpu, Unpaced
from lockstep.facts.pods.pod import PodFact

# The most unpaced amounts in a status.
MOST_UNPACED = 64


class Obstacle(StrEnum):
    """Why the members of a role are not paced, as a clause."""

    NO_REQUEST = "none of their containers requests cpu"
    OF_WHOLE = "they request cpu for the whole pod, not for containers"
    RESTARTS = "their resizePolicy restarts a container that gets another amount of cpu"
    DIFFERENT = "they have different amounts of cpu"
    GUARANTEED = "their pods are of the class Guaranteed, where no request can be below its limit"
    NOT_KNOWN = "Lockstep does not know how much CPU they had when all began to run"


class PacedMember(NamedTuple):
    """A member that may be paced. ``waits`` says whether it waits for the slowest member."""

    pod: PodFact
    role: str
    node: str
    waits: bool

    @property
    def cpu(self) -> MemberCpu:
        """The member's CPU."""
        assert self.pod.cpu is not None, "members that run have one"
        return self.pod.cpu

    @property
    def requested(self) -> Mapping[str, Cpu]:
        """The CPU of the member's containers that request CPU, by name of container."""
        return {name: cpu for name, cpu in self.cpu.amounts.items() if cpu.request}


def members_to_pace(state: State, gang: GangFact, reservation: Reservation) -> list[PacedMember]:
    """All members of the roles in which a member may be paced or has been paced, by rank."""
    waiting = waiting_roles(gang)
    known = () if gang.status.pace is None else gang.status.pace.unpaced
    roles = waiting | yielding_roles(state, reservation) | {one.role for one in known}
    if not roles:
        return []
    there = state.members(gang)
    return [
        PacedMember(there[key], role, node, role in waiting)
        for _, role, node, key in reservation.by_rank()
        if role in roles and key in there and there[key].cpu is not None
    ]


def waiting_roles(gang: GangFact) -> set[str]:
    """The roles whose members have equal shares of the work, if the gang wants pacing; otherwise none."""
    if not isinstance(gang, AcceptedGang) or not gang.spec.pace.is_wanted:
        return set()
    return {role.name for role in gang.spec.roles if role.load.is_work and not role.load.is_unequal}


def wants_limits_kept(gang: GangFact) -> bool:
    """Whether waiting members keep their limits while they are paced."""
    return isinstance(gang, AcceptedGang) and gang.spec.pace.keeps_limits


def yielding_roles(state: State, reservation: Reservation) -> set[str]:
    """The roles of members on nodes whose node owners are back and want the members paced."""
    if not any(state.owners.wants_pace(entry.node) for entry in reservation.members):
        return set()
    return {member.role for member in reservation.by_rank() if state.owners.wants_pace(member.node)}


def unpaced_of(members: Iterable[PacedMember]) -> tuple[Unpaced, ...]:
    """For each role that can be paced: the present amounts of its containers, before any member is paced.

    Empty if there would be more than 64 amounts.
    """
    found = [
        Unpaced(role, container, cpu)
        for role, of_role in _by_role(members).items()
        if obstacle(of_role) is None
        for container, cpu in of_role[0].requested.items()
    ]
    return tuple(found) if len(found) <= MOST_UNPACED else ()


def obstacle(of_role: Sequence[PacedMember]) -> Obstacle | None:
    """Why the members of a role can't be paced; None if they can. The caller asks before any of them is paced."""
    if not all(member.requested for member in of_role):
        return Obstacle.NO_REQUEST
    if any(member.cpu.is_of_whole for member in of_role):
        return Obstacle.OF_WHOLE
    if any(one.restarts and one.cpu.request for member in of_role for one in member.cpu.containers):
        return Obstacle.RESTARTS
    if any(member.requested != of_role[0].requested for member in of_role):
        return Obstacle.DIFFERENT
    return None


def obstacles(
    members: Iterable[PacedMember], unpaced: Iterable[Unpaced], *, keeps_limits: bool = False
) -> dict[str, int]:
    """The number of members that can't be paced, by obstacle."""
    known = {one.role for one in unpaced}
    counts: Counter[str] = Counter()
    for role, of_role in _by_role(members).items():
        if role not in known:
            counts[obstacle(of_role) or Obstacle.NOT_KNOWN] += len(of_role)
        elif keeps_limits:
            counts[Obstacle.GUARANTEED] += sum(member.waits and member.cpu.is_guaranteed for member in of_role)
    return dict(+counts)


def offers_of(state: State, gang: GangFact, members: Iterable[PacedMember]) -> dict[str, PaceOffer]:
    """What the nodes of waiting members offer, by their bids and by what the gang's past runs show about node kinds.

    The result is empty if a node has no valid, current bid: a pace is never guessed. It uses the bids and kinds that
    are in the cache now, not those of the gang's placement.
    """
    nodes = sorted({member.node for member in members if member.waits})
    bids = [bid for node in nodes if (bid := state.bids.get(node)) is not None and bid.has_pace]
    if len(bids) < len(nodes):
        return {}
    times = NodeKinds.of(map(state.nodes.get, nodes)).times(state.past_runs.in_force(gang)).tolist()
    return {
        bid.node: PaceOffer(slowdown=bid.slowdown * longer, left=1 / (1 + bid.duty_cycle))
        for bid, longer in zip(bids, times, strict=True)
    }


def without_bids(state: State, members: Iterable[PacedMember]) -> list[str]:
    """The nodes of waiting members without a bid that gives a pace."""
    nodes = {member.node for member in members if member.waits}
    return sorted(node for node in nodes if (bid := state.bids.get(node)) is None or not bid.has_pace)


def yielding_nodes(state: State, members: Iterable[PacedMember]) -> list[str]:
    """The nodes of members whose node owners are back and want the members paced."""
    return sorted({member.node for member in members if state.owners.wants_pace(member.node)})


def is_member_paced(member: PacedMember, had: Mapping[str, Cpu]) -> bool:
    """Whether the member has less CPU than its unpaced amounts."""
    amounts = member.cpu.amounts
    return any(is_paced(cpu, amounts[name]) for name, cpu in had.items())


def given_back(members: Iterable[PacedMember], unpaced: Iterable[Unpaced]) -> int:
    """How much less CPU these members request than without pacing, in thousandths of a core, summed."""
    return sum(
        max(0, cpu.request - member.cpu.amounts[name].request)
        for member, had in with_unpaced(members, unpaced)
        for name, cpu in had.items()
    )


def how_many_paced(members: Iterable[PacedMember], unpaced: Iterable[Unpaced]) -> int:
    """The number of members with less CPU than their unpaced amounts."""
    return sum(is_member_paced(member, had) for member, had in with_unpaced(members, unpaced))


def with_unpaced(
    members: Iterable[PacedMember], unpaced: Iterable[Unpaced]
) -> Iterator[tuple[PacedMember, Mapping[str, Cpu]]]:
    """The members that can be paced, with the unpaced amounts of their containers."""
    by_role: dict[str, dict[str, Cpu]] = {}
    for one in unpaced:
        by_role.setdefault(one.role, {})[one.container] = one.cpu
    for member in members:
        had = by_role.get(member.role, {})
        if had and had.keys() <= member.cpu.amounts.keys():
            yield member, had


def _by_role(members: Iterable[PacedMember]) -> dict[str, list[PacedMember]]:
    by_role: dict[str, list[PacedMember]] = {}
    for member in members:
        by_role.setdefault(member.role, []).append(member)
    return by_role
