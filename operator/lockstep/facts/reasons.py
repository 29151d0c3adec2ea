"""Types and reasons of conditions, and reasons of events."""

from enum import StrEnum


class Condition(StrEnum):
    """The types of a GangJob's conditions, in the order of a gang's life."""

    ACCEPTED = "Accepted"
    PLANNED = "Planned"
    PLACED = "Placed"
    COMPLETE = "Complete"
    FAILED = "Failed"
    SUSPENDED = "Suspended"
    PREEMPTED = "Preempted"
    NODES_REQUESTED = "NodesRequested"
    OVERRUNNING = "Overrunning"


class Reason(StrEnum):
    """Reasons of conditions.

    They are public, as are the engine's reasons: adding is compatible, renaming breaks users.
    """

    SPEC_UNDERSTOOD = "SpecUnderstood"
    UNSUPPORTED_FIELD = "UnsupportedField"
    INVALID_SPEC = "InvalidSpec"
    NODE_NOT_FOUND = "NodeNotFound"
    UNKNOWN_PRIORITY_CLASS = "UnknownPriorityClass"
    CLAIM_NOT_READY = "ClaimNotReady"
    CLAIM_NOT_BOUND = "ClaimNotBound"
    TEMPLATE_REFUSED = "TemplateRefused"
    CHANGED_BY_ADMISSION = "ChangedByAdmission"
    REJECTED_BY_KUBELETS = "RejectedByKubelets"

    NOT_PLANNED = "NotPlanned"
    AWAITS_PODS = "AwaitsPods"
    STARTS_LATER = "StartsLater"
    PREEMPTING = "Preempting"
    RESERVED = "Reserved"
    RESERVATION_RELEASED = "ReservationReleased"

    NOT_RESERVED = "NotReserved"
    BINDING = "Binding"
    BOUND = "Bound"
    BIND_INTERRUPTED = "BindInterrupted"
    NETWORK_REFUSED = "NetworkRefused"
    START_BARRIER_TIMEOUT = "StartBarrierTimeout"
    QUOTA_EXCEEDED = "QuotaExceeded"
    POD_REFUSED = "PodRefused"
    POD_REJECTED = "PodRejected"
    POD_LOST = "PodLost"
    CLAIM_REFUSED = "ClaimRefused"
    CLAIM_LOST = "ClaimLost"
    VOLUME_NOT_PROVIDED = "VolumeNotProvided"
    API_UNAVAILABLE = "ApiUnavailable"
    NO_LONGER_FITS = "NoLongerFits"
    GANG_DELETED = "GangDeleted"
    PREEMPTED = "Preempted"
    OWNER_RETURNED = "OwnerReturned"
    CHANGING_SIZE = "ChangingSize"
    SHRUNK_FOR_GANG = "ShrunkForGang"
    UNDOING = "Undoing"
    RESTARTING = "Restarting"

    GANG_SUSPENDED = "GangSuspended"
    GANG_RESUMED = "GangResumed"

    NODES_REQUESTED = "NodesRequested"
    REQUEST_ACCEPTED = "RequestAccepted"
    NODES_PROVISIONED = "NodesProvisioned"
    PROVISIONING_FAILED = "ProvisioningFailed"
    REQUEST_REFUSED = "RequestRefused"

    RUNS_LONGER = "RunsLonger"

    NOT_FINISHED = "NotFinished"
    SUCCEEDED = "Succeeded"
    MEMBER_FAILED = "MemberFailed"
    REACHED_MAX_RESTARTS = "ReachedMaxRestarts"
    DEADLINE_EXCEEDED = "DeadlineExceeded"


class EventReason(StrEnum):
    """Reasons of events. Public: adding is compatible, renaming breaks users."""

    GANG_PLACED = "GangPlaced"
    GANG_STARTS_LATER = "GangStartsLater"
    GANG_HOLDS_NODES = "GangHoldsNodes"
    GANG_UNPLACEABLE = "GangUnplaceable"
    GANG_MISSING = "GangMissing"
    INVALID_SPEC = "InvalidSpec"
    CLAIM_NOT_READY = "ClaimNotReady"
    CLAIM_NOT_BOUND = "ClaimNotBound"
    CHANGED_BY_ADMISSION = "ChangedByAdmission"
    REJECTED_BY_KUBELETS = "RejectedByKubelets"
    BIND_INTERRUPTED = "BindInterrupted"
    QUOTA_EXCEEDED = "QuotaExceeded"
    POD_LOST = "PodLost"
    POD_REJECTED = "PodRejected"
    NAMES_DO_NOT_RESOLVE = "NamesDoNotResolve"
    STATUS_REFUSED = "StatusRefused"
    GANG_UNDOING = "GangUndoing"
    GANG_RESTARTING = "GangRestarting"
    GANG_SUSPENDED = "GangSuspended"
    GANG_RESUMED = "GangResumed"
    GANG_PREEMPTED = "GangPreempted"
    PREEMPTED_FOR_GANG = "PreemptedForGang"
    GANG_PACED = "GangPaced"
    GANG_WILL_CHANGE_SIZE = "GangWillChangeSize"
    GANG_CHANGES_SIZE = "GangChangesSize"
    MEMBERS_JOINED = "MembersJoined"
    SIZE_CHANGE_DROPPED = "SizeChangeDropped"
    GANG_OVERRUNS = "GangOverruns"
    OWNER_RETURNED = "OwnerReturned"
    OWNER_SUSPENDED = "OwnerSuspended"
    GANG_SUCCEEDED = "GangSucceeded"
    GANG_FAILED = "GangFailed"
