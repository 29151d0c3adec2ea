"""Where volumes can be made: storage classes, and the capacities that CSI drivers publish."""

from collections.abc import Callable, Hashable
from functools import partial
from typing import Generic, Protocol, TypeVar

from lockstep.belief.nodes.node_index import Names, NodeIndex
from lockstep.facts.cluster.volume import CapacityKey, CsiDriver, StorageCapacity, StorageClass

NO_PROVISIONER = "kubernetes.io/no-provisioner"
"""The provisioner of a class whose volumes an administrator makes."""

Key = TypeVar("Key", bound=Hashable)
Fact = TypeVar("Fact")


class KnownObjects(Generic[Key, Fact]):
    """The facts of one kind. ``changed`` is called after each change."""

    def __init__(self, key: Callable[[Fact], Key], changed: Callable[[], None]) -> None:
        self._key = key
        self._changed = changed
        self.facts: dict[Key, Fact] = {}

    def apply(self, fact: Fact) -> None:
        """Add or update an object."""
        key = self._key(fact)
        if self.facts.get(key) != fact:
            self.facts[key] = fact
            self._changed()

    def remove(self, key: Key) -> None:
        """Remove an object."""
        if self.facts.pop(key, None) is not None:
            self._changed()


class StorageChanged(Protocol):
    """A function that is called after each change.

    ``concerns_claims``: a class has changed, so it may be possible now to use other claims. All other changes concern
    only the room for new volumes.
    """

    def __call__(self, *, concerns_claims: bool) -> None:
        """Record a change."""


class Storage:
    """The storage classes, CSI drivers and published capacities: where volumes can be made."""

    def __init__(self, changed: StorageChanged) -> None:
        self._changed = changed
        self._by_class: dict[str, list[StorageCapacity]] | None = None
        of_classes, of_room = (partial(self._record_change, concerns_claims=does) for does in (True, False))
        self.classes: KnownObjects[str, StorageClass] = KnownObjects(lambda it: it.name, of_classes)
        self.drivers: KnownObjects[str, CsiDriver] = KnownObjects(lambda it: it.name, of_room)
        self.capacities: KnownObjects[CapacityKey, StorageCapacity] = KnownObjects(lambda it: it.key, of_room)

    def class_of(self, name: str | None) -> StorageClass | None:
        """The class of that name. Without a name, the default class, or the newest of several default classes.

        None if there is no such class.
        """
        if name is not None:
            return self.classes.facts.get(name)
        defaults = [one for one in self.classes.facts.values() if one.is_default]
        return min(defaults, key=lambda one: (-one.created, one.name), default=None)

    def makes_on(self, kind: StorageClass, nodes: NodeIndex) -> Names:
        """The nodes for which volumes of the class may be made."""
        if kind.provisioner in ("", NO_PROVISIONER):
            return frozenset()
        return nodes.all if kind.topologies is None else nodes.matching(kind.topologies)

    def has_room_on(self, kind: StorageClass, size: int, nodes: NodeIndex) -> Names:
        """The nodes for which the driver has room for a volume of that size; all nodes if it publishes no capacity."""
        driver = self.drivers.facts.get(kind.provisioner)
        if driver is None or not driver.publishes_capacity:
            return nodes.all
        published = self._capacities().get(kind.name, ())
        large_enough = (one.nodes for one in published if one.largest is not None and one.largest >= size)
        return frozenset[str]().union(*map(nodes.selected, dict.fromkeys(large_enough)))

    def _capacities(self) -> dict[str, list[StorageCapacity]]:
        if self._by_class is None:
            self._by_class = {}
            for one in self.capacities.facts.values():
                self._by_class.setdefault(one.storage_class, []).append(one)
        return self._by_class

    def _record_change(self, *, concerns_claims: bool) -> None:
        self._by_class = None
        self._changed(concerns_claims=concerns_claims)
