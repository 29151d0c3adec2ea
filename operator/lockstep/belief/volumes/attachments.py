"""The number of volumes that each node can still attach. CSI drivers have limits; a volume counts once on each node.

The count is that of kube-scheduler: volumes of pods, and attached volumes without a pod. Volumes of members that are
about to be bound count too. Numbers are computed by node, and only again after a change on this node.
"""

from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping

from coschedule import GangKey
from lockstep.belief.common.kept_answers import BYTES_OF_NAME, BYTES_OF_WORD, KeptAnswers
from lockstep.belief.common.steps import at_once
from lockstep.belief.holding.reserved_claims import ReservedClaims
from lockstep.belief.pods.pod_effects import PodsNearby
from lockstep.belief.volumes.attach_room import AttachRoom
from lockstep.belief.volumes.attached import Attached
from lockstep.belief.volumes.claims import Claims, ClaimsChange
from lockstep.facts.cluster.volume import AttachLimits, Attachment, CsiVolume

Volumes = frozenset[CsiVolume]

_NO_LIMITS: Mapping[str, int] = {}


class Attachments:
    """The volumes that nodes can attach, and those that they have attached.

    ``changed`` is called after each change of a limit or a VolumeAttachment.
    """

    def __init__(
        self, claims: Claims, pods_nearby: PodsNearby, reserved: ReservedClaims, changed: Callable[[], None]
    ) -> None:
        self._claims = claims
        self._pods_nearby = pods_nearby
        self._reserved = reserved
        self._changed = changed
        self._limits: dict[str, Mapping[str, int]] = {}
        self._attached = Attached()
        self._stale: set[str] = set()
        self._in_use: dict[str, Volumes] = {}
        self._rooms: dict[str, AttachRoom] = {}
        self._full = KeptAnswers[Volumes, Mapping[str, frozenset[str]]]()

    def apply_limits(self, fact: AttachLimits) -> None:
        """Set how many volumes a node's drivers can attach; most have no limit."""
        if self._limits.get(fact.node, _NO_LIMITS) != fact.limits:
            self._limits[fact.node] = fact.limits
            self._record_change((fact.node,))

    def remove_limits(self, node: str) -> None:
        """Remove the limits of a node's drivers."""
        if self._limits.pop(node, None):
            self._record_change((node,))

    def apply_attachment(self, fact: Attachment) -> None:
        """Add or update a VolumeAttachment."""
        self._record_change(self._attached.apply(fact))

    def remove_attachment(self, name: str) -> None:
        """Remove a VolumeAttachment."""
        self._record_change(self._attached.remove(name))

    def touch(self, *nodes: str) -> None:
        """Note that pods or members on these nodes use other volumes than before."""
        self._stale.update(nodes)

    def claims_changed(self, change: ClaimsChange) -> None:
        """Note that claims have other volumes than before, or that volumes have changed."""
        if change.claims is None:
            self._stale.update(self._limits)
            return
        self._stale.update(self._attached.nodes_of(change.volume))
        for claim in change.claims:
            self._stale.update(pod.node for pod in self._pods_nearby.users(claim))
            self._stale.update(self._reserved.nodes_using(claim))

    def renewing(self) -> Generator[None, None, None]:
        """Count again on changed nodes, one node in each step. A query before the last step does the rest at once."""
        while self._stale:
            self._renew(self._stale.pop())
            yield

    def room(self, driver: str) -> Mapping[str, int]:
        """How many more volumes of that driver each node can attach; nodes without a limit are left out."""
        at_once(self.renewing())
        return self._rooms[driver].by_node if driver in self._rooms else _NO_LIMITS

    def full(self, wanted: Volumes, *, but: GangKey | None = None) -> Mapping[str, frozenset[str]]:
        """The nodes that can't attach all wanted volumes of a driver, by driver.

        Volumes that the gang ``but`` is about to attach do not count.
        """
        at_once(self.renewing())
        full = self._full.get(wanted)
        if full is None:
            full = self._find_full(wanted)
            names = sum(map(len, full.values()))
            self._full.keep(wanted, full, BYTES_OF_NAME * names + BYTES_OF_WORD * len(wanted))
        own = () if but is None else self._reserved.nodes_of(but)
        return full if not own else self._without(full, wanted, but, own)

    def most(self, own: Mapping[str, int], shared: Volumes, *, members: int) -> dict[str, int]:
        """For how many of ``members`` each node can attach volumes; nodes that can do so for all are left out.

        ``own`` has the number of volumes of each member, by driver. All members use the ``shared`` volumes together.
        """
        at_once(self.renewing())
        wanted = Counter({driver: count * members for driver, count in own.items()})
        wanted.update(volume.driver for volume in shared)
        counts = {node: self._fitting(node, own, shared, members) for node in self._with_less_room_than(wanted)}
        return {node: count for node, count in counts.items() if count < members}

    def _record_change(self, nodes: Iterable[str]) -> None:
        nodes = set(nodes)
        if nodes:
            self._stale |= nodes
            self._changed()

    def _renew(self, node: str) -> None:
        limits = self._limits.get(node, _NO_LIMITS)
        if not limits and node not in self._in_use:
            return
        self._full.forget()
        self._in_use[node] = frozenset(self._volumes_in_use(node))
        attached = self._attached_to(node, self._in_use[node])
        for driver in self._rooms.keys() | limits.keys():
            room = self._rooms.setdefault(driver, AttachRoom())
            room.put(node, limits[driver] - attached[driver] if driver in limits else None)
        if not limits:
            del self._in_use[node]
            self._rooms = {driver: room for driver, room in self._rooms.items() if room.by_node}

    def _volumes_in_use(self, node: str, *, but: GangKey | None = None) -> Iterator[CsiVolume]:
        """The volumes of pods on the node, and of members that are about to be there.

        Members of the gang ``but`` are left out. Claims of the members that are about to be there may not exist yet:
        controllers make some claims, at any time after the pods.
        """
        of_pods = ((pod.key.namespace, claim) for pod in self._pods_nearby.claiming(node) for claim in pod.claims)
        yield from self._claims.csi_volumes(of_pods)
        for key, request in self._reserved.on(node, but=but):
            if key in self._claims.claims:
                yield from self._claims.csi_volumes((key,))
            elif request is not None:
                yield from self._claims.csi_volume_to_be(key, request)

    def _attached_to(self, node: str, in_use: Volumes) -> Counter[str]:
        """The number of volumes by driver that count: volumes in use, and attached volumes without a pod."""
        left_over = {volume for volume in map(self._volume, self._attached.on(node)) if volume}
        return Counter(volume.driver for volume in in_use | left_over)

    def _volume(self, attachment: Attachment) -> CsiVolume | None:
        fact = self._claims.volumes.get(attachment.volume)
        return None if fact is None or fact.csi is None else CsiVolume(attachment.driver, fact.csi.handle)

    def _with_less_room_than(self, wanted: Counter[str]) -> set[str]:
        """The nodes that may be unable to attach ``wanted`` volumes of each driver. All other nodes can."""
        rooms = ((self._rooms[driver], count) for driver, count in wanted.items() if driver in self._rooms)
        return {node for room, count in rooms for node in room.below(count)}

    def _find_full(self, wanted: Volumes) -> Mapping[str, frozenset[str]]:
        full: dict[str, set[str]] = {}
        for node in self._with_less_room_than(Counter(volume.driver for volume in wanted)):
            for driver in self._short(node, wanted, self._in_use[node]):
                full.setdefault(driver, set()).add(node)
        return {driver: frozenset(nodes) for driver, nodes in full.items()}

    def _without(
        self, full: Mapping[str, frozenset[str]], wanted: Volumes, gang: GangKey | None, own: Iterable[str]
    ) -> Mapping[str, frozenset[str]]:
        """The mapping ``full`` as it would be if the gang were not about to attach volumes to its ``own`` nodes."""
        without: dict[str, set[str]] = {driver: set(nodes) for driver, nodes in full.items()}
        for node in own:
            in_use = frozenset(self._volumes_in_use(node, but=gang)) if node in self._limits else frozenset[CsiVolume]()
            short = self._short(node, wanted, in_use)
            for driver in {*without, *short}:
                nodes = without.setdefault(driver, set())
                (nodes.add if driver in short else nodes.discard)(node)
        return {driver: frozenset(nodes) for driver, nodes in without.items() if nodes}

    def _short(self, node: str, wanted: Volumes, in_use: Volumes) -> list[str]:
        """The drivers that can't attach to the node all wanted volumes that are not yet in use there."""
        new = Counter(volume.driver for volume in wanted - in_use)
        attached, limits = self._attached_to(node, in_use), self._limits.get(node, _NO_LIMITS)
        return [
            driver for driver, count in new.items() if driver in limits and attached[driver] + count > limits[driver]
        ]

    def _fitting(self, node: str, own: Mapping[str, int], shared: Volumes, members: int) -> int:
        """For how many of ``members`` the node can attach their own volumes, in addition to the shared volumes."""
        limits = self._limits.get(node, _NO_LIMITS)
        attached = self._attached_to(node, self._in_use[node] | shared)
        if any(attached[volume.driver] > limits.get(volume.driver, attached[volume.driver]) for volume in shared):
            return 0
        rooms = ((limits[driver] - attached[driver]) // count for driver, count in own.items() if driver in limits)
        return max(0, min((members, *rooms)))
