"""Which nodes pass the constraints of the gangs of a plan. This is computed before anything is planned.

Users may write long constraints. So reading them has limits of its own, like those of choices (``effort``). Constraints
that several gangs have count only for the first of these gangs. A gang whose constraints exceed a limit is not planned.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from coschedule.model.numbers import BoolArray
from coschedule.queue.constraints.terms import Constraints
from coschedule.queue.feasible.feasibility import Feasibility
from coschedule.queue.problem.gangs import GangKey, PendingGang
from coschedule.queue.problem.order import by_priority
from coschedule.queue.problem.refusals import ConstraintsTooLong
from coschedule.queue.search.effort import Account, Limits

_LIMITS = Limits(for_one=10**6, in_a_plan=2 * 10**6, least=4000)
"""Limits in parts of about half a microsecond; a selector, term, requirement, value or toleration is one part."""


def _account() -> Account:
    return Account(_LIMITS)


@dataclass(slots=True, eq=False)
class Read:
    """The masks, bool[n], of all constraints that were read; gangs with other constraints are ``refused``.

    ``limits`` are the masks of ``Feasibility.limits``: the nodes on which members may stay for some time, or for ever.
    """

    account: Account = field(default_factory=_account)
    masks: dict[Constraints, BoolArray] = field(default_factory=dict)
    limits: dict[bytes, BoolArray] = field(default_factory=dict)
    refused: dict[GangKey, ConstraintsTooLong] = field(default_factory=dict)

    @property
    def distinct_masks(self) -> list[BoolArray]:
        """The distinct masks; several constraints may have the same one."""
        return [*{id(mask): mask for mask in self.masks.values()}.values(), *self.limits.values()]

    def take(self, gang: PendingGang, feasibility: Feasibility) -> None:
        """Read the constraints of one more gang, or refuse the gang if they exceed a limit."""
        new = {role.constraints for role in gang.roles} - self.masks.keys()
        length = sum(constraints.length for constraints in new)
        effort = self.account.effort(gang.key)
        if not effort.allows(length):
            self.refused[gang.key] = ConstraintsTooLong(length=length, most=effort.most)
            return
        effort.spend(length)
        for constraints in new:
            self.masks[constraints] = feasibility.mask(constraints)
            self.limits.update({mask.tobytes(): mask for mask in feasibility.limits(constraints)})


def read_constraints(gangs: Iterable[PendingGang], feasibility: Feasibility, *, skipping_errors: bool) -> Read:
    """Read the constraints of gangs, the most urgent first.

    With ``skipping_errors``, a gang for which this raises an exception is skipped. Planning it raises the exception
    again.
    """
    read = Read()
    for of_priority in by_priority(gangs):
        read.account.welcome(gang.key for gang in of_priority)
        for gang in of_priority:
            try:
                read.take(gang, feasibility)
            except Exception:
                if not skipping_errors:
                    raise
    return read
