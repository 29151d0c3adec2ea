"""The requirements of a member on its node besides resources, in the terms of Kubernetes."""

import math
from dataclasses import dataclass, field
from typing import NamedTuple


class Taint(NamedTuple):
    """A taint of a node, with the values of the Kubernetes API."""

    key: str
    value: str
    effect: str

    @property
    def formatted(self) -> str:
        """The taint in the format of kubectl, such as ``gpu=a100:NoSchedule``."""
        value = f"={self.value}" if self.value else ""
        return f"{self.key}{value}:{self.effect}"


class Toleration(NamedTuple):
    """A toleration of a pod: operator Exists, Equal (also ""), Lt or Gt; an empty key or effect matches any.

    A NoExecute taint is tolerated for ``seconds``, inf without an end.
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
    """One alternative of a required node affinity: all its requirements must hold; an empty term matches no node."""

    labels: tuple[Requirement, ...]
    fields: tuple[Requirement, ...]


@dataclass(frozen=True, slots=True, kw_only=True, weakref_slot=True)
class Constraints:
    """The requirements of a member on its node besides resources.

    ``affinity`` is None when there is none; an empty tuple matches no node. ``volumes`` are further affinities, which
    must all match. ``barred`` has sets of names of nodes that members may not use, each set with a phrase that
    completes "3 nodes ...".

    The nodes that pass are cached once for all gangs with equal constraints. The hash and the length are computed on
    first use and stored, as there may be a million parts.
    """

    node_selector: tuple[tuple[str, str], ...] = ()
    affinity: tuple[NodeTerm, ...] | None = None
    tolerations: tuple[Toleration, ...] = ()
    volumes: tuple[tuple[NodeTerm, ...], ...] = ()
    barred: tuple[tuple[str, frozenset[str]], ...] = ()
    _hash: int | None = field(default=None, init=False, repr=False, compare=False)
    _length: int | None = field(default=None, init=False, repr=False, compare=False)

    def __hash__(self) -> int:
        """Return the hash, which equal constraints share."""
        if self._hash is None:
            parts = self.node_selector, self.affinity, self.tolerations, self.volumes, self.barred
            object.__setattr__(self, "_hash", hash(parts))
        assert self._hash is not None, "it was set just now"
        return self._hash

    @property
    def length(self) -> int:
        """One plus the number of selectors, terms, requirements, values and tolerations.

        Barred nodes do not count: users do not write them, and there are no more of them than nodes.
        """
        if self._length is None:
            affinities = (self.affinity or (), *self.volumes)
            of_terms = sum(len(terms) + sum(map(_length_of, terms)) for terms in affinities)
            object.__setattr__(self, "_length", len(self.node_selector) + len(self.tolerations) + of_terms + 1)
        assert self._length is not None, "it was set just now"
        return self._length


def _length_of(term: NodeTerm) -> int:
    return sum(1 + len(requirement.values) for requirement in (*term.labels, *term.fields))
