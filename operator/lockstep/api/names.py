"""The names of our kinds, pods and controller in Kubernetes."""

GROUP = "lockstep.dev"
VERSION = "v1alpha1"
API_VERSION = f"{GROUP}/{VERSION}"
GANG_KIND = "GangJob"
GANGS = "gangjobs"
# A gang of pods that others create.
POD_GANG_KIND = "Gang"
POD_GANGS = "gangs"
# Many runs of one program, each a GangJob.
SWEEP_KIND = "GangSweep"
SWEEPS = "gangsweeps"
BID_KIND = "NodeBid"
BIDS = "nodebids"
# The groups of namespaces that share the nodes: one object, of this name.
FAIR_SHARE_KIND = "FairShare"
FAIR_SHARES = "fairshares"
THE_FAIR_SHARE = "default"
SCHEDULER_NAME = "lockstep"
# The preemption policy of a PriorityClass, a pod or a group that others do not give way to.
NEVER_PREEMPTS = "Never"
REPORTING_CONTROLLER = "lockstep.dev/operator"

# Labels of a member pod. Together with the owner reference they identify the member; attempt and rank are also in its
# name.
GANG_LABEL = "lockstep.dev/gang"
ATTEMPT_LABEL = "lockstep.dev/attempt"
RANK_LABEL = "lockstep.dev/rank"
# Label of a kept claim: the number of members of its gang when it was created.
SIZE_LABEL = "lockstep.dev/size"
# Label of members of a gang with roles: the role.
ROLE_LABEL = "lockstep.dev/role"

# Label of a pod that others create: the name of the Gang that it belongs to.
MEMBER_OF_LABEL = "lockstep.dev/member-of"
# Annotation of such a pod, by its Binding, beside its rank and size: which seat it has, of which Gang and attempt.
SEAT_ANNOTATION = "lockstep.dev/seat"
# Label of an owner of such pods that we have suspended, and will resume; and an annotation with the name of the Gang.
SUSPENDED_LABEL = "lockstep.dev/suspended-by"
SUSPENDED_BY = "lockstep"
SUSPENDED_FOR_ANNOTATION = "lockstep.dev/suspended-for"
# Annotation of a Job or a RayCluster: how many pods we have given it.
SIZED_ANNOTATION = "lockstep.dev/sized"
# Annotation beside it: the UID of the owner. A copy of it has another one, so it has not got its size from us.
SIZED_UID_ANNOTATION = "lockstep.dev/sized-uid"
# Annotation of one that has changed its size: with how many pods it began. It outlives the Gang of the owner.
FIRST_SIZE_ANNOTATION = "lockstep.dev/first-size"

# Annotation of a pod: a member that waits for others may continue.
GO_ANNOTATION = "lockstep.dev/go"
# Annotation of a pod: a member of an elastic gang keeps the room of a dealer, whether it has one or not.
ROOM_ANNOTATION = "lockstep.dev/keeps-room"
# Annotation of a PriorityClass: the sizing that its gangs may use.
ALLOWED_SIZING = "lockstep.dev/allowed-sizing"
# Annotation of a pod: the part of the work that is done, as the member reports it.
PROGRESS_ANNOTATION = "lockstep.dev/progress"
# Annotation of a pod, by the operator: the next size of the gang, and when the members are asked to end.
RESIZE_ANNOTATION = "lockstep.dev/resize"
# Annotation of a pod: that notice, once the member of rank 0 is ready for the change.
READY_ANNOTATION = "lockstep.dev/ready-to-resize"
# Label of a node whose node owner does not want it measured.
AGENT_LABEL = "lockstep.dev/agent"
AGENT_OFF = "off"

# Label of the GangJob of a run: its sweep. Annotations of it: the number of the run, and its parameters.
SWEEP_LABEL = "lockstep.dev/sweep"
RUN_ANNOTATION = "lockstep.dev/run"
PARAMETERS_ANNOTATION = "lockstep.dev/parameters"
# Annotation of a GangSweep: which failed runs are to be made again, and an id of this wish.
REQUEUE_ANNOTATION = "lockstep.dev/requeue"

# Annotation of a GangJob, a Gang or a GangSweep, by the chart's admission policy: the user who created it.
CREATED_BY_ANNOTATION = "lockstep.dev/created-by"
# Label of a namespace: the group whose gangs it has, in records.
GROUP_LABEL = "lockstep.dev/group"
# Label of a ConfigMap that hands over records of gangs.
RECORDS_LABEL = "lockstep.dev/records"
QUEUE_LABEL = "kueue.x-k8s.io/queue-name"
"""The label of Kueue that names the queue of an object."""
