"""A control plane at work, with kwok and the operator, to which one tenant's objects come and from which they go."""

import itertools
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from http import HTTPStatus
from http.client import HTTPException
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import orjson

from builders.manifests import gang, quota
from eventually import eventually
from lockstep.api.names import API_VERSION, GANG_LABEL
from lockstep.api.podgang.owners import OWNERS
from lockstep.facts.gang.source import Source
from lockstep_demo.installing import install
from lockstep_demo.operator_process import OperatorProcess, running
from sandbox import ApiError, Component, Node, Options, Sandbox, processes, start
from tenants.cluster import pod_gang, waiting_pod
from tenants.companions import HOST
from tenants.held import spawn_held
from tenants.served_time import ServedTime, measure_processes
from tenants.shapes import GROUP, MANY

Manifest = Mapping[str, Any]

DEFAULT = "default"
RUNNING, WAITING, GANG_SIZE = 5, 20, 10
# Bids have the names of the first nodes; on the others there is always room.
NODES = MANY["nodebids"] + 10
_AT_ONCE = 8
_ROOT = Path(__file__).parents[2]
_FURTHER = ("operator/rbac-sources.yaml", "operator/rbac-sweeps.yaml", "crds/gangsweeps.yaml")
# The API server itself takes longer than this to validate some long lists of a pod.
_ANSWER_SECONDS = 10
# The API server deletes nothing while it validates such objects, which dry runs still bring to it.
_GONE_SECONDS = 300
_REFUSALS = (
    HTTPStatus.BAD_REQUEST,
    HTTPStatus.FORBIDDEN,
    HTTPStatus.UNPROCESSABLE_ENTITY,
    HTTPStatus.GATEWAY_TIMEOUT,
)
_OURS, _CORE, _POLICY = f"/apis/{API_VERSION}", "/api/v1", "/apis/policy/v1"
# Sweeps go before their runs, which they would make again.
_KINDS = {
    "gangsweeps": (_OURS, "GangSweep"),
    "gangjobs": (_OURS, "GangJob"),
    "gangs": (_OURS, "Gang"),
    "nodebids": (_OURS, "NodeBid"),
    "pods": (_CORE, "Pod"),
    "persistentvolumeclaims": (_CORE, "PersistentVolumeClaim"),
    "resourcequotas": (_CORE, "ResourceQuota"),
    "poddisruptionbudgets": (_POLICY, "PodDisruptionBudget"),
}
_WRITTEN = ("name", "labels", "annotations", "ownerReferences")
_SOURCES = ",".join((Source.PODS, *OWNERS))
# Without a controller manager no status of these is filled in.
_WITH_STATUS = ("resourcequotas", "poddisruptionbudgets")
_NO_CONTROLLERS = "TaintNodesByCondition,ServiceAccount,StorageObjectInUseProtection"
_FLAGS = {
    # Much is written and deleted, and the API server lets etcd forget it only every five minutes.
    Component.ETCD: (f"--quota-backend-bytes={8 * 2**30}",),
    # Claims must go without a controller that takes their finalizer off.
    Component.API_SERVER: (f"--disable-admission-plugins={_NO_CONTROLLERS}",),
}


class WorkingCluster:
    """The API server and the operator; ``working`` are the numbers of the processes that a gang waits for."""

    def __init__(self, api: Sandbox, operator: OperatorProcess, working: Sequence[int]) -> None:
        self.api = api
        self.operator = operator
        self._working = working
        self._numbers = itertools.count(1)

    def served_time(self) -> ServedTime:
        """A clock that begins now, and shows how long the processes of the cluster were served."""
        return ServedTime(partial(measure_processes, self._working))

    @contextmanager
    def tenants(self, count: int) -> Iterator[list[str]]:
        """Namespaces of so many tenants, whose objects are gone afterwards."""
        names = [f"evil-{number}" for number in itertools.islice(self._numbers, count)]
        with ThreadPoolExecutor(_AT_ONCE) as clients:
            list(clients.map(self._admit, names))
            yield names
            list(clients.map(self._clear, names))

    def _admit(self, tenant: str) -> None:
        self.api.create_namespace(tenant)
        self.create("gangs", tenant, pod_gang(GROUP, tenant))

    def _clear(self, tenant: str) -> None:
        for plural in _KINDS:
            self.remove(plural, tenant)

    def limit_pods(self, namespace: str, most: int) -> None:
        """Allow so many pods in a namespace."""
        hard = {"pods": str(most)}
        status = {"hard": hard, "used": {"pods": "0"}}
        self.create("resourcequotas", namespace, {**quota("few", **hard), "status": status})

    def create_pods_of(self, namespace: str, texts: Sequence[bytes]) -> None:
        """Create a pod for each of these Gangs, which waits for a node."""
        for text in texts:
            name = orjson.loads(text)["metadata"]["name"]
            self.create("pods", namespace, waiting_pod(name, name, namespace))

    def create_all(self, plural: str, namespace: str, texts: Sequence[bytes]) -> None:
        """Create objects that are given as JSON, some at once; the API server need not take them."""
        with ThreadPoolExecutor(_AT_ONCE) as clients:
            list(clients.map(lambda one: self.create(plural, namespace, orjson.loads(one)), texts))

    def create(self, plural: str, namespace: str, manifest: Manifest) -> None:
        """Create an object with its status, if the API server takes it."""
        version, kind = _KINDS[plural]
        metadata = {part: manifest["metadata"][part] for part in _WRITTEN if part in manifest["metadata"]}
        whole = {
            "apiVersion": version.removeprefix("/apis/").removeprefix("/api/"),
            "kind": kind,
            "metadata": metadata,
            "spec": manifest["spec"],
        }
        try:
            self.api.request("POST", f"{_path(plural, namespace)}?timeout={_ANSWER_SECONDS}s", whole)
            if plural in _WITH_STATUS:
                path = f"{_path(plural, namespace)}/{metadata['name']}/status"
                self.api.request("PATCH", path, {"status": manifest["status"]})
        except ApiError as error:
            if error.status not in _REFUSALS:
                raise
        except HTTPException:
            # The API server has given up on it.
            return

    def members_of(self, gang: str) -> list[Manifest]:
        """The pods of a gang of the default namespace."""
        found: list[Manifest] = self.api.request("GET", f"{_path('pods', DEFAULT)}?{_members(gang)}")["items"]
        return found

    def remove_gangs(self, gangs: Sequence[str]) -> None:
        """Delete gangs of the default namespace and their members; wait until they are gone."""
        for name in gangs:
            self.remove("gangjobs", DEFAULT, f"fieldSelector=metadata.name%3D{name}")
        self.remove("pods", DEFAULT, f"labelSelector={GANG_LABEL}%20in%20({','.join(gangs)})")

    def remove(self, plural: str, namespace: str, selector: str = "") -> None:
        """Delete the objects of a kind in a namespace, or those that a selector matches; wait until they are gone."""
        path = f"{_path(plural, namespace)}?gracePeriodSeconds=0&{selector}"

        def are_gone() -> bool:
            try:
                self.api.request("DELETE", path)
                return not self.api.request("GET", path)["items"]
            except ApiError as error:
                if error.status != HTTPStatus.GATEWAY_TIMEOUT:
                    raise
            except HTTPException:
                # The API server has given up on it.
                pass
            return False

        eventually(are_gone, seconds=_GONE_SECONDS)


@contextmanager
def working_cluster() -> Iterator[WorkingCluster]:
    """A cluster in which some gangs run, and others wait until these have ended."""
    addons = frozenset({Component.KWOK})
    with TemporaryDirectory() as folder, start(Options(name="tenants", addons=addons, flags=_FLAGS)) as api:
        install(api)
        for file in _FURTHER:
            api.apply(_ROOT / file)
        api.create_nodes(Node(name=f"n{number:03}", labels={HOST: f"n{number:03}"}) for number in range(NODES))
        account = api.kubeconfig_for_service_account("lockstep-system", "lockstep")
        options = (f"--sources={_SOURCES}", "--sweeps=true")
        with running(OperatorProcess(account, Path(folder) / "log", *options, spawn=spawn_held)) as operator:
            servers = processes.running(api.kubeconfig.parent)
            serving = [process for process, name in servers.items() if name != Component.KWOK]
            cluster = WorkingCluster(api, operator, [*serving, *processes.running(Path(folder))])
            cluster.create_all("gangjobs", DEFAULT, [_gang(f"running-{one}", GANG_SIZE) for one in range(RUNNING)])
            eventually(lambda: operator.metrics()['lockstep_gangs{state="placed"}'] == RUNNING)
            cluster.create_all("gangjobs", DEFAULT, [_gang(f"waiting-{one}", NODES) for one in range(WAITING)])
            eventually(lambda: operator.metrics()['lockstep_gangs{state="pending"}'] == WAITING)
            yield cluster


def _gang(name: str, size: int) -> bytes:
    return orjson.dumps(gang(name, size=size, cpu="5", work={"serialTime": f"{10 * GANG_SIZE}h"}))


def _members(gang: str) -> str:
    return f"labelSelector={GANG_LABEL}%3D{gang}"


def _path(plural: str, namespace: str) -> str:
    version, _ = _KINDS[plural]
    return f"{version}/{plural}" if plural == "nodebids" else f"{version}/namespaces/{namespace}/{plural}"
