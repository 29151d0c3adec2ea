"""An expected "no" as a value: nothing has broken, the gang is undone and planned again."""

from dataclasses import dataclass

from lockstep.facts.reasons import Reason

_WANTED = (
    Reason.GANG_DELETED,
    Reason.GANG_SUSPENDED,
    Reason.RESTARTING,
    Reason.PREEMPTED,
    Reason.OWNER_RETURNED,
)
_USERS_OWN = (Reason.GANG_DELETED, Reason.GANG_SUSPENDED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Why an attempt came to nothing: an enumerated reason and a clause for the gang's owner, without a full stop.

    ``turned_away_by`` are the nodes whose kubelets turned members away, where that is the reason.
    """

    reason: Reason
    message: str
    turned_away_by: frozenset[str] = frozenset()

    @property
    def is_wanted(self) -> bool:
        """Whether it was decided so, and the attempt did not fail: an event of its own tells of it, if any need."""
        return self.reason in _WANTED

    @property
    def is_users_own(self) -> bool:
        """Whether a user asked for it by a change of the GangJob, so that it is no trouble to warn of."""
        return self.reason in _USERS_OWN
