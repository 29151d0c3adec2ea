"""VolumeAttachments by node and by volume, whether or not a pod uses the volume."""

from collections.abc import Collection

from lockstep.facts.cluster.volume import Attachment


class Attached:
    """The existing VolumeAttachments."""

    def __init__(self) -> None:
        self._attachments: dict[str, Attachment] = {}
        self._by_node: dict[str, dict[str, Attachment]] = {}
        self._by_volume: dict[str, dict[str, Attachment]] = {}

    def apply(self, fact: Attachment) -> Collection[str]:
        """Add or update a VolumeAttachment. Returns the nodes whose attachments have changed."""
        if self._attachments.get(fact.name) == fact:
            return ()
        before = self.remove(fact.name)
        self._attachments[fact.name] = fact
        self._by_node.setdefault(fact.node, {})[fact.name] = fact
        if fact.volume:
            self._by_volume.setdefault(fact.volume, {})[fact.name] = fact
        return {*before, fact.node}

    def remove(self, name: str) -> Collection[str]:
        """Remove a VolumeAttachment. Returns its node, or nothing if it is unknown."""
        before = self._attachments.pop(name, None)
        if before is None:
            return ()
        for by, key in ((self._by_node, before.node), (self._by_volume, before.volume)):
            if key in by:
                del by[key][name]
                if not by[key]:
                    del by[key]
        return (before.node,)

    def on(self, node: str) -> Collection[Attachment]:
        """The attachments of that node."""
        return self._by_node.get(node, {}).values()

    def nodes_of(self, volume: str) -> Collection[str]:
        """The nodes to which that PersistentVolume is attached."""
        return {one.node for one in self._by_volume.get(volume, {}).values()}
