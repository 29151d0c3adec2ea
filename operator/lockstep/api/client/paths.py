"""The paths of the API."""

from coschedule import GangKey
from lockstep.api.client.answer import Target
from lockstep.api.client.object_names import segment
from lockstep.api.names import API_VERSION, BIDS, FAIR_SHARES, GANGS, POD_GANGS, SWEEPS, THE_FAIR_SHARE
from lockstep.facts.cluster.volume import ClaimKey
from lockstep.facts.gang.keys import is_pod_gang, object_name
from lockstep.facts.pods.pod import PodKey
from lockstep.facts.runs.sweep_keys import sweep_name

ALL_NODES = Target("/api/v1/nodes", "nodes")
ALL_PODS = Target("/api/v1/pods", "pods")
ALL_NAMESPACES = Target("/api/v1/namespaces", "namespaces")
ALL_CLAIMS = Target("/api/v1/persistentvolumeclaims", "persistentvolumeclaims")
ALL_VOLUMES = Target("/api/v1/persistentvolumes", "persistentvolumes")
ALL_CSI_NODES = Target("/apis/storage.k8s.io/v1/csinodes", "csinodes")
ALL_ATTACHMENTS = Target("/apis/storage.k8s.io/v1/volumeattachments", "volumeattachments")
ALL_STORAGE_CLASSES = Target("/apis/storage.k8s.io/v1/storageclasses", "storageclasses")
ALL_CSI_DRIVERS = Target("/apis/storage.k8s.io/v1/csidrivers", "csidrivers")
ALL_CAPACITIES = Target("/apis/storage.k8s.io/v1/csistoragecapacities", "csistoragecapacities")
ALL_PRIORITY_CLASSES = Target("/apis/scheduling.k8s.io/v1/priorityclasses", "priorityclasses")
ALL_BUDGETS = Target("/apis/policy/v1/poddisruptionbudgets", "poddisruptionbudgets")
ALL_QUOTAS = Target("/api/v1/resourcequotas", "resourcequotas")
ALL_NODE_REQUESTS = Target("/apis/autoscaling.x-k8s.io/v1/provisioningrequests", "provisioningrequests")
ALL_GANGS = Target(f"/apis/{API_VERSION}/{GANGS}", GANGS)
ALL_POD_GANGS = Target(f"/apis/{API_VERSION}/{POD_GANGS}", POD_GANGS)
ALL_SWEEPS = Target(f"/apis/{API_VERSION}/{SWEEPS}", SWEEPS)
ALL_BIDS = Target(f"/apis/{API_VERSION}/{BIDS}", BIDS)
ALL_FAIR_SHARES = Target(f"/apis/{API_VERSION}/{FAIR_SHARES}", FAIR_SHARES)
FAIR_SHARE = Target(f"{ALL_FAIR_SHARES.path}/{THE_FAIR_SHARE}", FAIR_SHARES)
FAIR_SHARE_STATUS = Target(f"{FAIR_SHARE.path}/status", f"{FAIR_SHARES}/status")
TOKEN_REVIEWS = Target("/apis/authentication.k8s.io/v1/tokenreviews", "tokenreviews")
ACCESS_REVIEWS = Target("/apis/authorization.k8s.io/v1/subjectaccessreviews", "subjectaccessreviews")
OWN_ACCESS_REVIEWS = Target("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", "selfsubjectaccessreviews")
API_GROUP = Target(f"/apis/{API_VERSION}", "apis")


def pods_of(namespace: str) -> Target:
    """The pods of a namespace."""
    return Target(f"/api/v1/namespaces/{segment(namespace)}/pods", "pods")


def pods_to_be(namespace: str) -> Target:
    """The pods of a namespace, for dry runs of their creation. Metrics count dry runs separately."""
    return Target(pods_of(namespace).path, "pods/dry-run")


def pod(key: PodKey) -> Target:
    """One pod."""
    return Target(f"/api/v1/namespaces/{segment(key.namespace)}/pods/{segment(key.name)}", "pods")


def pod_log(key: PodKey) -> Target:
    """The log of a pod's container."""
    return Target(f"{pod(key).path}/log", "pods/log")


def pod_binding(key: PodKey) -> Target:
    """The binding of a pod to its node."""
    return Target(f"/api/v1/namespaces/{segment(key.namespace)}/pods/{segment(key.name)}/binding", "pods/binding")


def binding_to_be(key: PodKey) -> Target:
    """The binding of a pod, for dry runs. Metrics count dry runs separately."""
    return Target(pod_binding(key).path, "pods/binding/dry-run")


def pod_eviction(key: PodKey) -> Target:
    """The eviction of a pod."""
    return Target(f"{pod(key).path}/eviction", "pods/eviction")


def pod_resize(key: PodKey) -> Target:
    """The resize subresource of a pod."""
    return Target(f"{pod(key).path}/resize", "pods/resize")


def claims_of(namespace: str) -> Target:
    """The PersistentVolumeClaims of a namespace."""
    return Target(f"/api/v1/namespaces/{segment(namespace)}/persistentvolumeclaims", "persistentvolumeclaims")


def claim(key: ClaimKey) -> Target:
    """One PersistentVolumeClaim."""
    return Target(f"{claims_of(key.namespace).path}/{segment(key.name)}", "persistentvolumeclaims")


def volume(name: str) -> Target:
    """One PersistentVolume."""
    return Target(f"{ALL_VOLUMES.path}/{segment(name)}", "persistentvolumes")


def services_of(namespace: str) -> Target:
    """The Services of a namespace."""
    return Target(f"/api/v1/namespaces/{segment(namespace)}/services", "services")


def service(namespace: str, name: str) -> Target:
    """One Service."""
    return Target(f"{services_of(namespace).path}/{segment(name)}", "services")


def config_maps_of(namespace: str) -> Target:
    """The ConfigMaps of a namespace."""
    return Target(f"/api/v1/namespaces/{segment(namespace)}/configmaps", "configmaps")


def config_map(namespace: str, name: str) -> Target:
    """One ConfigMap."""
    return Target(f"{config_maps_of(namespace).path}/{segment(name)}", "configmaps")


def pod_templates_of(namespace: str) -> Target:
    """The PodTemplates of a namespace."""
    return Target(f"/api/v1/namespaces/{segment(namespace)}/podtemplates", "podtemplates")


def pod_template(namespace: str, name: str) -> Target:
    """One PodTemplate."""
    return Target(f"{pod_templates_of(namespace).path}/{segment(name)}", "podtemplates")


def object_of(api_version: str, plural: str, namespace: str, name: str) -> Target:
    """One object of any kind. For the core kinds, ``api_version`` has no group."""
    root = "apis" if "/" in api_version else "api"
    return Target(f"/{root}/{api_version}/namespaces/{segment(namespace)}/{plural}/{segment(name)}", plural)


def node_requests_of(namespace: str) -> Target:
    """The ProvisioningRequests of a namespace."""
    group, _, resource = ALL_NODE_REQUESTS.path.rpartition("/")
    return Target(f"{group}/namespaces/{segment(namespace)}/{resource}", resource)


def node_request(namespace: str, name: str) -> Target:
    """One ProvisioningRequest."""
    return Target(f"{node_requests_of(namespace).path}/{segment(name)}", ALL_NODE_REQUESTS.resource)


def pod_status(key: PodKey) -> Target:
    """The status of one pod."""
    return Target(f"/api/v1/namespaces/{segment(key.namespace)}/pods/{segment(key.name)}/status", "pods/status")


def gangs_of(namespace: str) -> Target:
    """The GangJobs of a namespace."""
    return Target(f"/apis/{API_VERSION}/namespaces/{segment(namespace)}/{GANGS}", GANGS)


def pod_gangs_of(namespace: str) -> Target:
    """The Gangs of a namespace."""
    return Target(f"/apis/{API_VERSION}/namespaces/{segment(namespace)}/{POD_GANGS}", POD_GANGS)


def gang(key: GangKey) -> Target:
    """One GangJob or Gang."""
    plural = POD_GANGS if is_pod_gang(key) else GANGS
    return Target(
        f"/apis/{API_VERSION}/namespaces/{segment(key.namespace)}/{plural}/{segment(object_name(key))}", plural
    )


def gang_status(key: GangKey) -> Target:
    """The status of one GangJob or Gang."""
    path, resource = gang(key)
    return Target(f"{path}/status", f"{resource}/status")


def sweeps_of(namespace: str) -> Target:
    """The GangSweeps of a namespace."""
    return Target(f"/apis/{API_VERSION}/namespaces/{segment(namespace)}/{SWEEPS}", SWEEPS)


def sweep(key: GangKey) -> Target:
    """One GangSweep."""
    return Target(
        f"/apis/{API_VERSION}/namespaces/{segment(key.namespace)}/{SWEEPS}/{segment(sweep_name(key))}", SWEEPS
    )


def sweep_status(key: GangKey) -> Target:
    """The status of one GangSweep."""
    return Target(f"{sweep(key).path}/status", f"{SWEEPS}/status")


def bid_status(node: str) -> Target:
    """The status of one NodeBid."""
    return Target(f"/apis/{API_VERSION}/{BIDS}/{segment(node)}/status", f"{BIDS}/status")


def leases_of(namespace: str) -> Target:
    """The leases of a namespace."""
    return Target(f"/apis/coordination.k8s.io/v1/namespaces/{segment(namespace)}/leases", "leases")


def lease(namespace: str, name: str) -> Target:
    """One lease."""
    return Target(f"{leases_of(namespace).path}/{segment(name)}", "leases")


def events_of(namespace: str) -> Target:
    """The events of a namespace."""
    return Target(f"/apis/events.k8s.io/v1/namespaces/{segment(namespace)}/events", "events")


def definition(name: str) -> Target:
    """A CustomResourceDefinition."""
    return Target(
        f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{segment(name)}", "customresourcedefinitions"
    )


def apiservice(name: str) -> Target:
    """One APIService."""
    return Target(f"/apis/apiregistration.k8s.io/v1/apiservices/{segment(name)}", "apiservices")
