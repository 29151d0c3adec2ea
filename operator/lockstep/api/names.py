"""The names by which Kubernetes knows our kinds, our pods and ourselves."""

GROUP = "lockstep.dev"
VERSION = "v1alpha1"
API_VERSION = f"{GROUP}/{VERSION}"
GANG_KIND = "GangJob"
GANGS = "gangjobs"
BID_KIND = "NodeBid"
BIDS = "nodebids"
SCHEDULER_NAME = "lockstep"
REPORTING_CONTROLLER = "lockstep.dev/operator"

# Labels of a member pod. With the owner reference they say whose it is; the attempt and the rank are its name's other
# parts.
GANG_LABEL = "lockstep.dev/gang"
ATTEMPT_LABEL = "lockstep.dev/attempt"
RANK_LABEL = "lockstep.dev/rank"
# Label of a kept claim: how many members its gang had when it was made.
SIZE_LABEL = "lockstep.dev/size"
# Of members of a gang that has roles.
ROLE_LABEL = "lockstep.dev/role"

# What lets a member go on that waits for others: an annotation of its pod.
GO_ANNOTATION = "lockstep.dev/go"
# What gangs of a PriorityClass may ask for: an annotation of the class.
ALLOWED_SIZING = "lockstep.dev/allowed-sizing"
# What a member says of the work: the part that is done.
PROGRESS_ANNOTATION = "lockstep.dev/progress"
# By which the owner of a node says that it is not to be measured: a label of the node.
AGENT_LABEL = "lockstep.dev/agent"
AGENT_OFF = "off"
