"""What has become of a member of a gang, by the last state of its pod."""

from enum import StrEnum
from typing import assert_never


class PodOutcome(StrEnum):
    """What has become of a member. It follows from the pod's state alone, in whatever order that came about."""

    GOING = "Going"
    """It has not ended, and its end was not asked for."""
    SUCCEEDED = "Succeeded"
    """It ended well by itself, before its end was asked for."""
    FAILED = "Failed"
    """Its own program failed, before its end was asked for; or the deadline of its own template ended it."""
    REJECTED = "Rejected"
    """Its kubelet rejected it: it never ran."""
    DISRUPTED = "Disrupted"
    """Its node, or another part of the cluster, ended it."""
    DELETED = "Deleted"
    """It was deleted, or is being deleted, and had not ended before."""

    @property
    def is_loss(self) -> bool:
        """Whether the cluster took the member away, so that its exit codes say nothing of its program."""
        match self:
            case PodOutcome.REJECTED | PodOutcome.DISRUPTED | PodOutcome.DELETED:
                return True
            case PodOutcome.GOING | PodOutcome.SUCCEEDED | PodOutcome.FAILED:
                return False
            case _:
                assert_never(self)

    @property
    def is_end(self) -> bool:
        """Whether the member ended in a way for which its gang's policies ask how."""
        match self:
            case PodOutcome.FAILED | PodOutcome.REJECTED | PodOutcome.DISRUPTED | PodOutcome.DELETED:
                return True
            case PodOutcome.GOING | PodOutcome.SUCCEEDED:
                return False
            case _:
                assert_never(self)
