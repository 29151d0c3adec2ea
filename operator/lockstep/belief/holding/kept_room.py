"""The room that a paced member keeps on its node: the member requests less CPU now, and all of it again later."""

from dataclasses import replace

from lockstep.api.quantities import CPU, as_request
from lockstep.belief.holding.reservation import Reservation
from lockstep.facts.gang.gang import AcceptedGang, GangFact
from lockstep.facts.pods.pod import PodFact


def with_kept_room(pod: PodFact, gang: GangFact, reservation: Reservation) -> PodFact:
    """The pod, with the request that counts on its node.

    A member of the reservation counts with the CPU that it requested unpaced, unless its gang gives that room away. So
    plans never put other pods there. Quotas count what the pod requests now, since the API server does.
    """
    member, cpu, pace = pod.member, pod.cpu, gang.status.pace
    if member is None or cpu is None or pace is None or _gives_room(gang) or not reservation.is_for(member):
        return pod
    role, amounts = reservation.role_of(member.rank), dict(pod.request)
    unpaced = {one.container: one.cpu.request for one in pace.unpaced if one.role == role}
    kept = cpu.requested_with(unpaced)
    if kept <= amounts.get(CPU, 0):
        return pod
    return replace(pod, request=as_request({**amounts, CPU: kept}))


def _gives_room(gang: GangFact) -> bool:
    return isinstance(gang, AcceptedGang) and gang.spec.pace.gives_room
