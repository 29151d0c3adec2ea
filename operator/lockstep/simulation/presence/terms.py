"""What happens to jobs when a node owner comes back."""

import math
from dataclasses import dataclass

from coschedule import Interruptible
from lockstep.cycle.pace.pacing import YIELDING
from lockstep.facts.cluster.node import OnReturn


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerTerms:
    """All owners want the same ``on_return``, and all jobs are equally ``interruptible``.

    Members that stay beside an owner take longer: if ``on_return`` is ``KEEP``, 1 + ``duty_cycle`` times as long. A
    checkpointed job saves its work every ``checkpoint_interval`` seconds of a run. The interval of other jobs is inf.
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
        """The factor by which members that may stay take longer while the owner is there."""
        return 1 / YIELDING.share if self.on_return is OnReturn.PACE else 1 + self.duty_cycle

    def kept(self, seconds: float) -> float:
        """Return how many seconds of work are saved when a run is interrupted after ``seconds``."""
        if math.isinf(self.checkpoint_interval):
            return 0.0
        return seconds // self.checkpoint_interval * self.checkpoint_interval
