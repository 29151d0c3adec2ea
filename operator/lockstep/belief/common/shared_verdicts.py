"""Needs of members as admission has set them, kept for later gangs with the same template in the same namespace.

A namespace keeps the templates that were used last. If all namespaces together have too many, the namespace with the
most templates drops one. So a namespace that adds many templates drops its own.
"""

from collections import OrderedDict

from lockstep.facts.gang.role import Needs

MOST_OF_A_NAMESPACE = 100
MOST_IN_ALL = 1_000


class SharedVerdicts:
    """The needs of a template's members, by namespace and digest of the template.

    In the mapping of a namespace, the template that was used least recently comes first.
    """

    def __init__(self) -> None:
        self._by_namespace: dict[str, OrderedDict[bytes, Needs]] = {}
        self._count = 0

    def knows(self, namespace: str) -> bool:
        """Whether any template of that namespace is kept."""
        return namespace in self._by_namespace

    def get(self, namespace: str, digest: bytes) -> Needs | None:
        """The needs kept for a template; None if none are kept. The template becomes the most recently used."""
        kept = self._by_namespace.get(namespace)
        if kept is None or digest not in kept:
            return None
        kept.move_to_end(digest)
        return kept[digest]

    def keep(self, namespace: str, digest: bytes, needs: Needs) -> None:
        """Keep the needs of a template, in place of earlier ones."""
        self.drop(namespace, digest)
        kept = self._by_namespace.setdefault(namespace, OrderedDict())
        kept[digest] = needs
        self._count += 1
        if len(kept) > MOST_OF_A_NAMESPACE:
            self._drop_oldest(namespace)
        if self._count > MOST_IN_ALL:
            self._drop_oldest(max(self._by_namespace, key=lambda one: len(self._by_namespace[one])))

    def drop(self, namespace: str, digest: bytes) -> None:
        """Drop a template."""
        kept = self._by_namespace.get(namespace)
        if kept is not None and kept.pop(digest, None) is not None:
            self._dropped(namespace)

    def _drop_oldest(self, namespace: str) -> None:
        self._by_namespace[namespace].popitem(last=False)
        self._dropped(namespace)

    def _dropped(self, namespace: str) -> None:
        self._count -= 1
        if not self._by_namespace[namespace]:
            del self._by_namespace[namespace]
