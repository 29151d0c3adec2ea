"""Expected failures of attempts, as values: the attempt is torn down and the gang is planned again."""

from dataclasses import dataclass
from typing import NamedTuple

from lockstep.facts.elastic import NextSize
from lockstep.facts.pods.pod_outcome import PodOutcome
from lockstep.facts.reason_meanings import MEANINGS
from lockstep.facts.reasons import Reason


class LostOn(NamedTuple):
    """A node on which a member was lost, and how. A kubelet that rejected it gave ``rejected_for`` and ``message``."""

    node: str
    outcome: PodOutcome
    rejected_for: str = ""
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Why an attempt failed: an enumerated reason and a clause for users, without a full stop.

    ``lost_on`` are the nodes where members were lost, if that is the reason. The operator's own deletions do not count.
    ``next_size`` is the size with which the gang goes on, if the reason is a change of size. If the Gang
    ``begins_anew``, its bound pods have already been taken back.
    """

    reason: Reason
    message: str
    lost_on: frozenset[LostOn] = frozenset()
    next_size: NextSize | None = None
    begins_anew: bool = False

    @property
    def is_wanted(self) -> bool:
        """Whether the end was a decision, not a failure of the attempt.

        Such an end has its own event, or needs none.
        """
        return MEANINGS[self.reason].is_wanted

    @property
    def is_users_own(self) -> bool:
        """Whether a user requested the end by a change of the GangJob, so that it needs no warning."""
        return MEANINGS[self.reason].is_users_own
