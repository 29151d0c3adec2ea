"""Which members wait before their containers start, and when their wait is over.

A gate, an init container that Lockstep adds, holds a waiting member. An opened gate stays open.
"""

from collections.abc import Collection
from typing import NamedTuple

from lockstep.facts.gang.network import NetworkSpec


class Wait(NamedTuple):
    """What the members of one role wait for.

    ``for_all``: until all members of the gang are up. ``for_roles``: until these roles run.
    """

    for_all: bool
    for_roles: frozenset[str]

    @property
    def has_gate(self) -> bool:
        """Whether the role's members have a gate."""
        return self.for_all or bool(self.for_roles)

    def is_over(self, *, all_are_up: bool, running_roles: Collection[str]) -> bool:
        """Whether the role's members may go on.

        A member is up once its gate runs. A role runs once all its members run or have succeeded.
        """
        return (all_are_up or not self.for_all) and self.for_roles <= set(running_roles)


def wait_of(network: NetworkSpec | None, start_after: Collection[str] = ()) -> Wait:
    """The wait of the members of a role; ``start_after`` names roles that must run first."""
    has_barrier = network is not None and network.barrier_seconds is not None
    return Wait(has_barrier, frozenset(start_after))
