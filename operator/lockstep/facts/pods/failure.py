"""An expected "no" as a value: nothing has broken, the gang is undone and planned again."""

from dataclasses import dataclass
from typing import NamedTuple

from lockstep.facts.pods.pod_outcome import PodOutcome
from lockstep.facts.reason_meanings import meaning_of
from lockstep.facts.reasons import Reason


class LostOn(NamedTuple):
    """A member was lost on that node, and how; a kubelet that rejected it gave the reason and the ``words``."""

    node: str
    outcome: PodOutcome
    rejected_for: str = ""
    words: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Why an attempt came to nothing: an enumerated reason and a clause for the gang's owner, without a full stop.

    ``lost_on`` are the nodes where members were lost, where that is the reason. Our own deletions are no losses.
    """

    reason: Reason
    message: str
    lost_on: frozenset[LostOn] = frozenset()

    @property
    def is_wanted(self) -> bool:
        """Whether it was decided so, and the attempt did not fail: an event of its own tells of it, if any need."""
        return meaning_of(self.reason).is_wanted

    @property
    def is_users_own(self) -> bool:
        """Whether a user asked for it by a change of the GangJob, so that it is no trouble to warn of."""
        return meaning_of(self.reason).is_users_own
