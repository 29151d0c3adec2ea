"""Annotations of an owner, of a template or of a pod that say more of a gang than its own fields do."""

from lockstep.api.names import GROUP

SIZE = f"{GROUP}/size"
SERIAL_TIME = f"{GROUP}/serial-time"
OVERHEAD_PER_MEMBER = f"{GROUP}/overhead-per-member"
HOSTS = f"{GROUP}/hosts"
UNDO = f"{GROUP}/undo"

OF_TEMPLATE = "kueue.x-k8s.io/podset-required-topology"
OF_OWNER = "kai.scheduler/topology-required-placement"
# In a template each asks for a domain of a part of the pods.
OF_PARTS = (
    OF_OWNER,
    "kueue.x-k8s.io/podset-slice-required-topology",
    "kueue.x-k8s.io/podset-slice-required-topology-constraints",
    "kai.scheduler/segment-topology-required-placement",
)
