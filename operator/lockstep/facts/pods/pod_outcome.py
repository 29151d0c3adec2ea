"""The outcome of a gang's member, by the last state of its pod."""

from enum import StrEnum
from typing import assert_never


class PodOutcome(StrEnum):
    """The outcome of a member. It depends on the pod's state only, not on the order of events."""

    GOING = "Going"
    """It has not ended, and its end was not requested."""
    SUCCEEDED = "Succeeded"
    """It succeeded before its end was requested."""
    FAILED = "Failed"
    """Its program failed before its end was requested, or the deadline in its template ended it."""
    REJECTED = "Rejected"
    """Its kubelet rejected it: it never ran."""
    DISRUPTED = "Disrupted"
    """Its node, or another part of the cluster, ended it."""
    DELETED = "Deleted"
    """It was or is being deleted, and had not ended before."""

    @property
    def is_loss(self) -> bool:
        """Whether the cluster removed the member, so that its exit codes say nothing about its program."""
        match self:
            case PodOutcome.REJECTED | PodOutcome.DISRUPTED | PodOutcome.DELETED:
                return True
            case PodOutcome.GOING | PodOutcome.SUCCEEDED | PodOutcome.FAILED:
                return False
            case _:
                assert_never(self)

    @property
    def is_end(self) -> bool:
        """Whether the member ended in a way that the gang's failure policy evaluates."""
        match self:
            case PodOutcome.FAILED | PodOutcome.REJECTED | PodOutcome.DISRUPTED | PodOutcome.DELETED:
                return True
            case PodOutcome.GOING | PodOutcome.SUCCEEDED:
                return False
            case _:
                assert_never(self)
