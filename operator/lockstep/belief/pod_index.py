"""The pods that are on a node, by the keys of their labels: whoever groups them by a label looks at no other pods."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from lockstep.facts.pod import PodFact


class PodIndex:
    """Whatever is entered leaves again."""

    def __init__(self, pods: Iterable[PodFact]) -> None:
        self._nodes: dict[str, Counter[str]] = {}
        self._by_key: dict[str, dict[str, PodFact]] = {}
        for pod in pods:
            self.enter(pod)

    def enter(self, pod: PodFact) -> None:
        """One more pod is on its node."""
        self._nodes.setdefault(pod.key.namespace, Counter())[pod.node] += 1
        for key, _ in pod.labels:
            self._by_key.setdefault(key, {})[pod.uid] = pod

    def leave(self, pod: PodFact) -> None:
        """One pod less."""
        nodes = self._nodes[pod.key.namespace]
        count_one_less(nodes, pod.node)
        if not nodes:
            del self._nodes[pod.key.namespace]
        for key, _ in pod.labels:
            del self._by_key[key][pod.uid]
            if not self._by_key[key]:
                del self._by_key[key]

    def nodes(self) -> Mapping[str, Counter[str]]:
        """How many pods of each namespace are on each node."""
        return self._nodes

    def having_any(self, keys: Iterable[str]) -> Iterator[PodFact]:
        """The pods that have a label with one of these keys, each once."""
        found: dict[str, PodFact] = {}
        for key in keys:
            found |= self._by_key.get(key, {})
        return iter(found.values())


def count_one_less(nodes: Counter[str], node: str) -> None:
    """One pod less on that node; a node without any is not in the count."""
    nodes[node] -= 1
    if not nodes[node]:
        del nodes[node]
