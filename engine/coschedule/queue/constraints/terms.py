"""What a member requires of a node besides resources, spelled as in Kubernetes."""

import math
from dataclasses import dataclass
from typing import NamedTuple


class Taint(NamedTuple):
    """A taint of a node, spelt as in Kubernetes."""

    key: str
    value: str
    effect: str

    @property
    def spelled(self) -> str:
        """``gpu=a100:NoSchedule``, as kubectl spells it."""
        value = f"={self.value}" if self.value else ""
        return f"{self.key}{value}:{self.effect}"


class Toleration(NamedTuple):
    """A toleration of a pod: operator Exists, Equal (also ""), Lt or Gt; an empty key or effect matches any.

    A taint that evicts is tolerated for so many ``seconds``, inf without an end.
    """

    key: str
    operator: str
    value: str
    effect: str
    seconds: float = math.inf


class Requirement(NamedTuple):
    """One requirement on labels or fields: operator In, NotIn, Exists, DoesNotExist, Gt or Lt."""

    key: str
    operator: str
    values: tuple[str, ...]


class NodeTerm(NamedTuple):
    """One alternative of a required node affinity: all its requirements hold; without any it matches no node."""

    labels: tuple[Requirement, ...]
    fields: tuple[Requirement, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraints:
    """What a member requires of a node besides resources; hashable, so that gangs with equal constraints share a mask.

    ``affinity`` is None when there is none; an empty tuple matches no node. ``volumes`` are further affinities, of
    which each has to match. ``barred`` holds what keeps members off single nodes: a phrase that completes "3 nodes
    ...", and the names of these nodes.
    """

    node_selector: tuple[tuple[str, str], ...] = ()
    affinity: tuple[NodeTerm, ...] | None = None
    tolerations: tuple[Toleration, ...] = ()
    volumes: tuple[tuple[NodeTerm, ...], ...] = ()
    barred: tuple[tuple[str, frozenset[str]], ...] = ()
