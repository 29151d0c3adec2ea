"""How many volumes a node can still attach: CSI drivers have limits, and a volume counts once for each node.

As kube-scheduler counts: the volumes of the pods that are there, and those that are attached without being any pod's.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from lockstep.belief.claims import Claims
from lockstep.belief.neighbours import Neighbours
from lockstep.facts.pod import PodFact
from lockstep.facts.volume import AttachLimits, Attachment, CsiVolume

Volumes = frozenset[CsiVolume]

_NONE: Volumes = frozenset()


class Attachments:
    """What nodes can attach and have attached. ``changed`` is called after each change of a fact."""

    def __init__(self, claims: Claims, neighbours: Neighbours, changed: Callable[[], None]) -> None:
        self._claims = claims
        self._neighbours = neighbours
        self._changed = changed
        self._limits: dict[str, Mapping[str, int]] = {}
        self._attachments: dict[str, Attachment] = {}
        self._attached: dict[str, dict[str, Attachment]] = {}
        self._picture: _Picture | None = None

    def apply_limits(self, fact: AttachLimits) -> None:
        """A node's drivers say how many volumes they can attach; most have no limit."""
        if self._limits.get(fact.node, {}) != fact.limits:
            self._limits[fact.node] = fact.limits
            self._note_change()

    def remove_limits(self, node: str) -> None:
        """A node has no drivers any more."""
        if self._limits.pop(node, None):
            self._note_change()

    def apply_attachment(self, fact: Attachment) -> None:
        """A volume is being attached, or is."""
        if self._attachments.get(fact.name) != fact:
            self.remove_attachment(fact.name)
            self._attachments[fact.name] = fact
            self._attached.setdefault(fact.node, {})[fact.name] = fact
            self._note_change()

    def remove_attachment(self, name: str) -> None:
        """A volume is detached."""
        before = self._attachments.pop(name, None)
        if before is not None:
            del self._attached[before.node][name]
            self._note_change()

    def full(self, wanted: Volumes, held: Mapping[str, Volumes]) -> dict[str, set[str]]:
        """By driver, the nodes that can't attach what is still wanted of it.

        ``held``: what else is about to be attached, by node.
        """
        full: dict[str, set[str]] = {}
        picture = self._now()
        for node in picture.with_less_room_than(Counter(volume.driver for volume in wanted)) | held.keys():
            in_use = picture.in_use.get(node, _NONE) | held.get(node, _NONE)
            for driver in self._short(node, wanted - in_use, in_use):
                full.setdefault(driver, set()).add(node)
        return full

    def most(
        self, own: Mapping[str, int], shared: Volumes, held: Mapping[str, Volumes], *, members: int
    ) -> dict[str, int]:
        """For how many members nodes can attach what is wanted; nodes that can for all of them are left out.

        ``own``: so many volumes of each driver for each member, ``shared`` once for all.
        """
        picture, asked = self._now(), (frozenset(own.items()), shared, members)
        if asked not in picture.most:
            wanted = Counter({driver: count * members for driver, count in own.items()})
            wanted.update(volume.driver for volume in shared)
            nodes = picture.with_less_room_than(wanted)
            picture.most[asked] = {node: self._fitting(node, own, shared, members) for node in nodes}
        those_held = {node: self._fitting(node, own, shared | volumes, members) for node, volumes in held.items()}
        counts = {**picture.most[asked], **those_held}
        return {node: count for node, count in counts.items() if count < members}

    def _fitting(self, node: str, own: Mapping[str, int], others: Volumes, members: int) -> int:
        """For how many members the node can attach their own volumes besides those that others have."""
        limits = self._limits.get(node, {})
        attached = self._attached_to(node, self._now().in_use.get(node, _NONE) | others)
        if any(attached[volume.driver] > limits.get(volume.driver, attached[volume.driver]) for volume in others):
            return 0
        rooms = ((limits[driver] - attached[driver]) // count for driver, count in own.items() if driver in limits)
        return max(0, min((members, *rooms)))

    def _short(self, node: str, new: Volumes, in_use: Volumes) -> list[str]:
        wanted = Counter(volume.driver for volume in new)
        attached, limits = self._attached_to(node, in_use), self._limits.get(node, {})
        return [
            driver for driver, count in wanted.items() if driver in limits and attached[driver] + count > limits[driver]
        ]

    def _attached_to(self, node: str, in_use: Volumes) -> Counter[str]:
        """How many volumes of each driver count: those in use, and those that are attached all the same."""
        left_over = {volume for volume in map(self._volume, self._attached.get(node, {}).values()) if volume}
        return Counter(volume.driver for volume in in_use | left_over)

    def _note_change(self) -> None:
        self._picture = None
        self._changed()

    def _volume(self, attachment: Attachment) -> CsiVolume | None:
        fact = self._claims.volumes.get(attachment.volume)
        return None if fact is None or fact.csi is None else CsiVolume(attachment.driver, fact.csi.handle)

    def _now(self) -> "_Picture":
        """Worked out once between two changes: many gangs may ask."""
        stamp = (self._neighbours.changes_of_users, self._claims.changes)
        if self._picture is None or self._picture.stamp != stamp:
            in_use = {node: self._volumes_of(self._neighbours.claiming(node)) for node in self._limits}
            rooms: dict[str, list[tuple[int, str]]] = {}
            for node, limits in self._limits.items():
                attached = self._attached_to(node, in_use[node])
                for driver, limit in limits.items():
                    rooms.setdefault(driver, []).append((limit - attached[driver], node))
            self._picture = _Picture(stamp, in_use, {driver: sorted(those) for driver, those in rooms.items()}, {})
        return self._picture

    def _volumes_of(self, pods: Iterable[PodFact]) -> Volumes:
        claims = ((pod.key.namespace, claim) for pod in pods for claim in pod.claims)
        return frozenset(self._claims.csi_volumes(claims))


class _Picture(NamedTuple):
    """What is in use on every node with a limit, and by driver how many volumes more each node can attach, rising.

    ``most``: answers so far.
    """

    stamp: tuple[int, int]
    in_use: Mapping[str, Volumes]
    rooms: Mapping[str, list[tuple[int, str]]]
    most: dict[tuple[frozenset[tuple[str, int]], Volumes, int], dict[str, int]]

    def with_less_room_than(self, wanted: Counter[str]) -> set[str]:
        """The nodes that might not attach so many volumes of each driver; the others surely can."""
        nodes: set[str] = set()
        for driver, count in wanted.items():
            rooms = self.rooms.get(driver, [])
            nodes.update(node for _, node in rooms[: bisect_left(rooms, (count, ""))])
        return nodes
