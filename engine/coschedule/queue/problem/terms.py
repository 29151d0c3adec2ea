"""What members of one gang require of where others of it are."""

from dataclasses import dataclass
from enum import StrEnum


class TermKind(StrEnum):
    """What a term asks for."""

    TOGETHER = "Together"
    """Members are in one domain with others."""
    APART = "Apart"
    """Members are in another domain than others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """A domain is all nodes with one value of the label ``topology_key``; a node without the label is in none.

    ``TOGETHER``: every member of ``roles`` is in a domain that has a member of ``towards``; where these are the same
    roles, all their members are in one domain. ``APART``: no domain has a member of ``roles`` and another one of
    ``towards``. Roles are named.
    """

    kind: TermKind
    topology_key: str
    roles: frozenset[str]
    towards: frozenset[str]

    @property
    def is_mutual(self) -> bool:
        """Whether it is about the same roles on both sides."""
        return self.roles == self.towards
