"""Terms of affinity and anti-affinity among the members of one gang."""

from dataclasses import dataclass
from enum import StrEnum


class TermKind(StrEnum):
    """The kind of a term."""

    TOGETHER = "Together"
    """Affinity: members are in one domain with others."""
    APART = "Apart"
    """Anti-affinity: members are in no domain with others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """A term about the domains of the label ``topology_key``; ``roles`` and ``towards`` are names of roles.

    A domain is all nodes with one value of the label. A node without the label is in no domain.

    ``TOGETHER``: every member of ``roles`` is in a domain with a member of ``towards``. If both are the same roles, all
    their members are in one domain. ``APART``: no domain has a member of ``roles`` and another member of ``towards``.
    """

    kind: TermKind
    topology_key: str
    roles: frozenset[str]
    towards: frozenset[str]

    @property
    def is_mutual(self) -> bool:
        """Whether both sides name the same roles."""
        return self.roles == self.towards
