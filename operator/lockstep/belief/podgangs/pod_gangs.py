"""The Gangs and their pods. These pods are not in the roster: Lockstep may delete pods that are in the roster."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from coschedule import GangKey
from lockstep.api.pool import Pool
from lockstep.belief.podgangs.bound_domain import in_bound_domain
from lockstep.belief.podgangs.composing import composed, least_to_begin
from lockstep.belief.podgangs.elastic_owners import ElasticOwners
from lockstep.belief.podgangs.own_pods import SizedPods
from lockstep.belief.podgangs.pod_group import PodGroup
from lockstep.belief.podgangs.queued_owners import QueuedOwners
from lockstep.belief.podgangs.sized_owners import SizedOwners
from lockstep.belief.podgangs.workloads import Workloads
from lockstep.belief.podgangs.yielding import YieldingGangs
from lockstep.facts.cluster.node import NodeFact
from lockstep.facts.gang.gang import AcceptedGang, GangFact
from lockstep.facts.gang.pod_gang import GroupedPod, PodGang
from lockstep.facts.pods.pod import Membership, PodFact

if TYPE_CHECKING:
    from lockstep.facts.pods.failure import Failure

# The time in seconds for which one kind is planned, if later pods are of several kinds. A kind that finds no room keeps
# the other kinds waiting for this time.
_TURN_SECONDS = 15.0
_NO_PODS = PodGroup()
_GOES_BACK = "The Gang was deleted and created again while it grew, so its owner gets its earlier number of pods."


class PodGangs:
    """The Gangs, their pods and their owners.

    ``changed`` is called with each Gang whose pods have changed. ``nodes`` are all nodes. ``may_yield`` is called when
    other Gangs than before may give way.
    """

    def __init__(
        self,
        changed: Callable[[GangKey], None],
        pool: Pool,
        nodes: Mapping[str, NodeFact],
        may_yield: Callable[[], None],
    ) -> None:
        self._changed = changed
        self._pool = pool
        self._nodes = nodes
        self._groups: dict[GangKey, PodGroup] = {}
        self.objects: dict[GangKey, PodGang] = {}
        self.sized = SizedOwners()
        self.queued_owners = QueuedOwners()
        self.workloads = Workloads()
        self.elastic = ElasticOwners()
        self.yielding = YieldingGangs(may_yield)
        self.leaving: dict[GangKey, Failure] = {}
        """Why pods of these Gangs have to leave their nodes. No other pods are bound beside them."""
        self.turn = 0
        # For each Gang that was compared, the number of waiting pods up to which the comparison counts.
        self._checked: dict[GangKey, int] = {}
        self._awaits_checks = False

    def advance_to(self, now: float) -> None:
        """Record which kind of pods has its turn at ``now``, and forget entries of ``yielding`` that are too old."""
        self.yielding.expire(now)
        self.turn = int(now // _TURN_SECONDS)

    def next_turn(self, gang: GangKey, now: float) -> float | None:
        """The time at which the next kind of pods has its turn.

        None if all waiting pods are alike, or are placed together.
        """
        group, known = self.group(gang), self.objects.get(gang)
        are_apart = group.going or (known is not None and known.needs_no_others)
        has_turns = are_apart and len(list(islice(group.waiting_by_kind(self.owner(gang)), 2))) > 1
        return (now // _TURN_SECONDS + 1) * _TURN_SECONDS if has_turns else None

    def enter(self, pod: PodFact) -> None:
        """Add or update a pod of a Gang; other pods are ignored."""
        if isinstance(pod, GroupedPod):
            group = self._groups.setdefault(pod.group.gang, PodGroup())
            group.enter(pod)
            self.forget_check(pod.group.gang)
            self._changed(pod.group.gang)

    def leave(self, pod: PodFact) -> None:
        """Remove a pod that is gone, or whose new fact is entered next."""
        if not isinstance(pod, GroupedPod):
            return
        group = self._groups.get(pod.group.gang)
        if group is not None:
            group.leave(pod.key)
            if not group.pods:
                del self._groups[pod.group.gang]
        self._changed(pod.group.gang)

    def names(self) -> Iterable[GangKey]:
        """The Gangs that pods name, and the Gangs of owners that wait for a size, whether or not the Gangs exist."""
        return self._groups.keys() | self.sized.gangs() | self.queued_owners.gangs()

    def groups(self) -> Iterable[PodGroup]:
        """The pods of each Gang. Callers must not change these groups."""
        return self._groups.values()

    def group(self, gang: GangKey) -> PodGroup:
        """The pods of a Gang. Callers must not change the group."""
        return self._groups.get(gang, _NO_PODS)

    def on_nodes(self, nodes: Collection[str]) -> list[GangKey]:
        """The Gangs with pods on one of these nodes."""
        return [gang for gang, group in self._groups.items() if not group.nodes.isdisjoint(nodes)]

    def composed(self, gang: PodGang) -> GangFact:
        """The Gang as a gang of its pods, or of its future pods if its owner waits for a size."""
        group = self.group(gang.key)
        fact = composed(
            gang,
            group,
            self._pool,
            self.turn,
            is_checked=self.is_checked(gang.key),
            sized=self.sized.pods(gang.key, gang.made_for),
        )
        fact = in_bound_domain(fact, group, self._nodes)
        if self.elastic.of(gang.key) is not None:
            # If the age counted from a recreated pod, gangs that are older than this pod would come before the Gang.
            # They would get room that the Gang gives up.
            fact = replace(fact, created=gang.created)
        if isinstance(fact, AcceptedGang) and self._goes_back_to(gang) is not None:
            return fact.with_spec(replace(fact.spec, awaits_pods=_GOES_BACK))
        return fact

    def to_be(self, gang: PodGang, sized: SizedPods) -> GangFact:
        """A Gang that does not exist yet, composed of the pods that its owner will have."""
        return composed(gang, _NO_PODS, self._pool, sized=sized)

    def goes_back_to(self, gang: GangKey) -> int | None:
        """The number of pods to which the Gang's owner has to go back; None if it keeps its number.

        An owner goes back if its Gang was deleted and created again while the owner grew.
        """
        known = self.objects.get(gang)
        return None if known is None else self._goes_back_to(known)

    def _goes_back_to(self, gang: PodGang) -> int | None:
        if self.elastic.of(gang.key) is None:
            return None
        return self.elastic.cut_off(gang, self.group(gang.key).own(gang.made_for, 0))

    def least_to_begin(self, gang: GangKey) -> int:
        """The fewest pods of a Gang that may be bound now if none is on a node; 0 if any number may."""
        known = self.objects.get(gang)
        return 0 if known is None else least_to_begin(known, self.group(gang))

    def owner(self, gang: GangKey) -> str | None:
        """The UID of the owner for which the Gang is made; None for a user's Gang, and if there is no such Gang."""
        known = self.objects.get(gang)
        return None if known is None else known.made_for

    def is_checked(self, gang: GangKey) -> bool:
        """Whether the Gang needs no comparison with an owner, or was compared since its present pods exist."""
        return not self._awaits_checks or self.owner(gang) is None or gang in self._checked

    def await_checks(self) -> None:
        """From now on, compare a Gang of the operator with its owner before the Gang's pods are planned."""
        self._awaits_checks = True

    def forget_check(self, gang: GangKey) -> None:
        """Compare the Gang with its owner again before pods are planned, if that is needed and none of its pods runs.

        It is needed if no pod waits, since the next pods may be of another owner. It is also needed if more pods wait
        than the owner made at the last comparison: then more may have to be placed together.
        """
        group = self.group(gang)
        if not group.going and not 0 < group.waiting <= self._checked.get(gang, 0):
            self._checked.pop(gang, None)

    def check(self, gang: GangKey, pods: int) -> None:
        """Record that the Gang agrees with its owner, which makes that number of ``pods`` at once."""
        self._checked[gang] = max(pods, self.group(gang).waiting)

    def seats(self, gang: GangKey) -> list[tuple[Membership, PodFact]]:
        """The seats of a Gang's pods, as annotations of the pods state them, each with its pod."""
        pods = self.group(gang).pods.values()
        return [(pod.group.seat, pod) for pod in pods if pod.group.seat is not None]
