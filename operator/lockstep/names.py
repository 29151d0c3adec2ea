"""Every name that Kubernetes sees from us, in one place."""

from enum import StrEnum

GROUP = "lockstep.dev"
VERSION = "v1alpha1"
API_VERSION = f"{GROUP}/{VERSION}"
GANG_KIND = "GangJob"
GANGS = "gangjobs"
BIDS = "nodebids"
SCHEDULER_NAME = "lockstep"
REPORTING_CONTROLLER = "lockstep.dev/operator"

# Labels of a member pod. With the owner reference they say whose it is; the attempt and the rank are its name's other
# parts.
GANG_LABEL = "lockstep.dev/gang"
ATTEMPT_LABEL = "lockstep.dev/attempt"
RANK_LABEL = "lockstep.dev/rank"

# Columns of a node's resources that Kubernetes has no name for. The blank keeps them apart from all that it has.
SLOTS = "bid slots"
HOST_PORT_PREFIX = "host port "
DISK_PREFIX = "disk "
# A node that declares a feature has more of it than all its pods together could take.
FEATURE_PREFIX = "declared feature "
# How much every node has of a column whose users exclude one another: they take all of it; who shares it takes 1.
WHOLE = 2**20


class Condition(StrEnum):
    """The conditions of a GangJob, in the order in which a gang passes them."""

    ACCEPTED = "Accepted"
    PLANNED = "Planned"
    PLACED = "Placed"
    COMPLETE = "Complete"


class Reason(StrEnum):
    """Why a condition is as it is.

    With the engine's own reasons these are public: adding is compatible, renaming breaks users.
    """

    SPEC_UNDERSTOOD = "SpecUnderstood"
    UNSUPPORTED_FIELD = "UnsupportedField"
    INVALID_SPEC = "InvalidSpec"
    UNKNOWN_PRIORITY_CLASS = "UnknownPriorityClass"
    TEMPLATE_REFUSED = "TemplateRefused"
    CHANGED_BY_ADMISSION = "ChangedByAdmission"

    NOT_PLANNED = "NotPlanned"
    STARTS_LATER = "StartsLater"
    RESERVED = "Reserved"
    RESERVATION_RELEASED = "ReservationReleased"

    NOT_RESERVED = "NotReserved"
    BINDING = "Binding"
    BOUND = "Bound"
    BIND_INTERRUPTED = "BindInterrupted"
    QUOTA_EXCEEDED = "QuotaExceeded"
    POD_REFUSED = "PodRefused"
    POD_REJECTED = "PodRejected"
    POD_LOST = "PodLost"
    API_UNAVAILABLE = "ApiUnavailable"
    NO_LONGER_FITS = "NoLongerFits"
    GANG_DELETED = "GangDeleted"
    UNDOING = "Undoing"

    NOT_FINISHED = "NotFinished"
    SUCCEEDED = "Succeeded"
    MEMBER_FAILED = "MemberFailed"
