"""What becomes of jobs when an owner comes back, and what they say of that."""

import math
from dataclasses import dataclass

from coschedule import Interruptible
from lockstep.cycle.pace.pacing import YIELDING
from lockstep.facts.cluster.node import OnReturn


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerTerms:
    """Owners want ``on_return``; all jobs are ``interruptible`` alike.

    Beside an owner whom members need not leave they take 1 + ``duty_cycle`` times as long. A job that is checkpointed
    saves what it has done each ``checkpoint_interval`` seconds of its run; no other has an interval.
    """

    on_return: OnReturn = OnReturn.EVICT
    duty_cycle: float = 0.5
    interruptible: Interruptible = Interruptible.NEVER
    checkpoint_interval: float = math.inf

    @property
    def evicts(self) -> bool:
        """Whether members have to leave when the owner comes."""
        return self.on_return is OnReturn.EVICT

    @property
    def beside_owner(self) -> float:
        """How many times as long members take while the owner is there, where they may stay."""
        return 1 / YIELDING.share if self.on_return is OnReturn.PACE else 1 + self.duty_cycle

    def kept(self, seconds: float) -> float:
        """Return how much is saved of a run of so many seconds that is interrupted."""
        if self.interruptible is not Interruptible.CHECKPOINTED:
            return 0.0
        return seconds // self.checkpoint_interval * self.checkpoint_interval
