"""The names of our kinds, pods and controller in Kubernetes."""

GROUP = "lockstep.dev"
VERSION = "v1alpha1"
API_VERSION = f"{GROUP}/{VERSION}"
GANG_KIND = "GangJob"
GANGS = "gangjobs"
# The kind for pods that other controllers or users create.
POD_GANG_KIND = "Gang"
POD_GANGS = "gangs"
# The kind for many runs of one program. Each run is a GangJob.
SWEEP_KIND = "GangSweep"
SWEEPS = "gangsweeps"
BID_KIND = "NodeBid"
BIDS = "nodebids"
# The kind for the groups of namespaces that share the nodes. Its only object has the name ``default``.
FAIR_SHARE_KIND = "FairShare"
FAIR_SHARES = "fairshares"
THE_FAIR_SHARE = "default"
SCHEDULER_NAME = "lockstep"
# The preemption policy of a PriorityClass, a pod or a group that never preempts others.
NEVER_PREEMPTS = "Never"
REPORTING_CONTROLLER = "lockstep.dev/operator"

# Labels of a member pod. Together with the owner reference they identify the member. The member's name also has the
# attempt and the rank.
GANG_LABEL = "lockstep.dev/gang"
ATTEMPT_LABEL = "lockstep.dev/attempt"
RANK_LABEL = "lockstep.dev/rank"
# Label of a kept claim: the number of members that its gang had when the claim was created.
SIZE_LABEL = "lockstep.dev/size"
# Label of a member of a gang with roles: the name of the role.
ROLE_LABEL = "lockstep.dev/role"

# Label of a pod that others create: the name of its Gang.
MEMBER_OF_LABEL = "lockstep.dev/member-of"
# Annotation that the Binding writes to such a pod: its seat, with the Gang's UID and attempt. Two other annotations
# have its rank and the number of pods.
SEAT_ANNOTATION = "lockstep.dev/seat"
# Label of an owner of such pods that we have suspended and will resume. An annotation has the name of the Gang.
SUSPENDED_LABEL = "lockstep.dev/suspended-by"
SUSPENDED_BY = "lockstep"
SUSPENDED_FOR_ANNOTATION = "lockstep.dev/suspended-for"
# Annotation of a Job or a RayCluster: the number of pods that we have given it.
SIZED_ANNOTATION = "lockstep.dev/sized"
# Another annotation of such an owner: its UID. A copy of the owner has another UID, and has not got its size from us.
SIZED_UID_ANNOTATION = "lockstep.dev/sized-uid"
# Annotation of an owner that has changed its size: the number of pods with which it began. It outlives the Gang.
FIRST_SIZE_ANNOTATION = "lockstep.dev/first-size"

# Annotation of a pod that waits for other members: the pod may continue.
GO_ANNOTATION = "lockstep.dev/go"
# Annotation of a pod of an elastic gang that has a dealer: plans count a dealer's requests for this pod, too.
ROOM_ANNOTATION = "lockstep.dev/keeps-room"
# Annotation of a PriorityClass: the sizing that its gangs may use.
ALLOWED_SIZING = "lockstep.dev/allowed-sizing"
# Annotation of a pod: the part of the work that is done. The member reports it.
PROGRESS_ANNOTATION = "lockstep.dev/progress"
# Annotation of a pod: the next size of the gang, and when members are asked to end. The operator writes this notice.
RESIZE_ANNOTATION = "lockstep.dev/resize"
# Annotation of a pod: a copy of this notice, when the member of rank 0 is ready for the change.
READY_ANNOTATION = "lockstep.dev/ready-to-resize"
# Label of a node that its node owner does not want to be measured.
AGENT_LABEL = "lockstep.dev/agent"
AGENT_OFF = "off"

# Label of the GangJob of a run: the sweep. Its annotations have the number of the run, and the parameters.
SWEEP_LABEL = "lockstep.dev/sweep"
RUN_ANNOTATION = "lockstep.dev/run"
PARAMETERS_ANNOTATION = "lockstep.dev/parameters"
# Annotation of a GangSweep: a request to make failed runs again. It has an ID, and the numbers of these runs.
REQUEUE_ANNOTATION = "lockstep.dev/requeue"

# Annotation of a GangJob, a Gang or a GangSweep: the user who created it. The chart's admission policy writes it.
CREATED_BY_ANNOTATION = "lockstep.dev/created-by"
# Label of a namespace: the group to which its gangs belong in records.
GROUP_LABEL = "lockstep.dev/group"
# Label of a ConfigMap that hands over records of gangs.
RECORDS_LABEL = "lockstep.dev/records"
QUEUE_LABEL = "kueue.x-k8s.io/queue-name"
"""Kueue's label for the queue of an object."""
