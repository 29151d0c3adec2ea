"""The constraints of a gang's members besides resources: by their template, volumes, other pods, and lost members."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from coschedule import Constraints
from lockstep.belief.nodes.failed_nodes import NodeFailure
from lockstep.belief.state import State
from lockstep.facts.gang.gang import AcceptedGang, GangFact
from lockstep.facts.gang.role import RoleSpec
from lockstep.snapshot.affinity.affinity import Bar, Surroundings
from lockstep.snapshot.volumes.volume_demand import demand_of


def constraints_of(state: State, gang: AcceptedGang, role: RoleSpec, around: Surroundings | None = None) -> Constraints:
    """The present constraints of the members of one role.

    ``around`` has the pods around the gang; callers with several roles pass it, so that it is computed once.
    """
    around = Surroundings(state, gang) if around is None else around
    constraints = state.claims.constraints(gang.key, role)
    barred = (*_by_losses(state, gang), *_by_pods(state, gang, role, around), *demand_of(state, gang, role).barred)
    return replace(constraints, barred=barred) if barred else constraints


def taken_in_front(state: State, priority: int | None) -> Counter[tuple[str, str]]:
    """The amounts that nominated pods of at least this priority are about to take, by node and resource.

    If ``priority`` is None, all nominated pods count.
    """
    amounts: Counter[tuple[str, str]] = Counter()
    for pod in state.counts.pods_nearby.nominated.values():
        if priority is None or pod.priority >= priority:
            amounts.update({(pod.nominated, name): amount for name, amount in pod.request})
    return amounts


def _by_losses(state: State, gang: GangFact) -> Iterator[Bar]:
    """The nodes that are barred because members of the gang were lost there."""
    barred = [
        *((failure.value, state.failed_nodes.of(gang.uid, failure)) for failure in NodeFailure if failure.is_loss),
        ("whose kubelets reject its members", state.rejections.barred(gang)),
    ]
    return (bar for bar in barred if bar[1])


def _by_pods(state: State, gang: AcceptedGang, role: RoleSpec, around: Surroundings) -> Iterator[Bar]:
    """The nodes that are barred because of other pods, if there are terms on either side."""
    anti_affinity = state.counts.pods_nearby.anti_affinity
    minded = state.counts.holders.with_anti_affinity or anti_affinity.concerns(gang.key.namespace)
    if minded or gang.spec.minds_pods:
        yield from (bar for bar in around.bars(role) if bar[1])
