"""The cluster that the walk changes: what each step does, through the API server itself and not through the proxy."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import quote as escaped

from builders.manifests import bid, foreign_pod, from_now, gang, priority_class, quota, with_launcher
from chaos.jobs import job
from chaos.proxy import FaultyProxy
from chaos.script import Fault, Step
from chaos.sets import gang_of_set, replica_set
from eventually import eventually
from live.background import Background
from live.pod_gangs import MEMBER_OF
from lockstep_demo.operator_process import OperatorProcess
from sandbox import ApiError, Component, Node, Sandbox

NAMESPACE = "chaos"
CORE = f"/api/v1/namespaces/{NAMESPACE}"
OURS = "/apis/lockstep.dev/v1alpha1"
GANGS = f"{OURS}/namespaces/{NAMESPACE}/gangjobs"
POD_GANGS = f"{OURS}/namespaces/{NAMESPACE}/gangs"
JOBS = f"/apis/batch/v1/namespaces/{NAMESPACE}/jobs"
SETS = f"/apis/apps/v1/namespaces/{NAMESPACE}/replicasets"
BIDS = f"{OURS}/nodebids"
NODES = "/api/v1/nodes"
LABEL = "chaos"
# What an observer changes to see how far it is.
MARKER = "marker"
BUT_MARKER = f"?fieldSelector=metadata.name!%3D{MARKER}"
FIRST_NODES = ("node0", "node1", "node2", "node3")
PRIORITIES = "/apis/scheduling.k8s.io/v1/priorityclasses"
FINALIZER = "example.com/keeps-it"

How = Mapping[str, Any]
Acts = dict[str, Callable[[How], object]]


class World:
    """Carries out steps. What the API server refuses, since it is not there or there already, changes nothing."""

    def __init__(self, api: Sandbox, proxy: FaultyProxy, operator: OperatorProcess, background: Background) -> None:
        self.api = api
        self.proxy = proxy
        self.operator = operator
        self.failed_starts = 0
        # An owner who has left may come again: the node stays closed for ten minutes.
        self.with_owners: set[str] = set()
        self._background = background
        self._acts = {
            **self._of_faults(),
            **self._of_gangs(),
            **self._of_owners(),
            **self._of_nodes(),
            **self._of_pods(),
            **self._of_admission(),
        }

    def _of_faults(self) -> Acts:
        """Requests that fail, and processes that end."""
        return {
            "fault": lambda how: self.proxy.arm(Fault(**how)),
            "calm": lambda how: self.proxy.heal(),
            "kill operator": lambda how: self._restart_operator(),
            "drop watches": lambda how: self._background.run(self.proxy.drop_watches()),
            "kill API server": lambda how: self._restart_api_server(),
        }

    def _of_gangs(self) -> Acts:
        """GangJobs."""
        return {
            "submit": self._submit,
            "delete gang": self._delete_gang,
            "suspend gang": self._suspend_gang,
            "ask for size": self._ask_for_size,
            "report progress": self._report_progress,
            "measure speed": self._measure_speed,
            "poison gang": self._poison_gang,
        }

    def _of_owners(self) -> Acts:
        """Jobs and ReplicaSets, and the Gangs of their pods."""
        return {
            "submit job": lambda how: self._ask("POST", JOBS, job(how, {LABEL: "yes"})),
            "delete job": lambda how: self._ask("DELETE", f"{JOBS}/{how['name']}?propagationPolicy={how['policy']}"),
            "delete gang of job": lambda how: self._ask("DELETE", f"{POD_GANGS}/job.{how['name']}"),
            "lose node of job": lambda how: self._lose_node_of("batch.kubernetes.io/job-name", how),
            "submit set": self._submit_set,
            "delete set": lambda how: self._ask("DELETE", f"{SETS}/{how['name']}?propagationPolicy=Background"),
            "delete gang of set": lambda how: self._ask("DELETE", f"{POD_GANGS}/{how['name']}"),
            "say undo": lambda how: self._ask("PATCH", f"{POD_GANGS}/{how['name']}", {"spec": {"undo": how["undo"]}}),
            "lose node of set": lambda how: self._lose_node_of(MEMBER_OF, how),
        }

    def _of_nodes(self) -> Acts:
        """Nodes, and what they offer."""
        return {
            "add node": lambda how: self.add_node(how["name"], how["cpu"]),
            "delete node": lambda how: self._ask("DELETE", f"{NODES}/{how['name']}"),
            "cordon": lambda how: self._ask("PATCH", f"{NODES}/{how['name']}", {"spec": {"unschedulable": True}}),
            "uncordon": lambda how: self._ask("PATCH", f"{NODES}/{how['name']}", {"spec": {"unschedulable": None}}),
            "unready": lambda how: self._set_ready(how["name"], "False"),
            "ready": lambda how: self._set_ready(how["name"], "True"),
            "resize": self._resize,
            "put bid": self._put_bid,
            "delete bid": lambda how: self._ask("DELETE", f"{BIDS}/{how['name']}"),
            "poison bid": self._poison_bid,
        }

    def _of_pods(self) -> Acts:
        """Pods of others, and members."""
        return {
            "add foreign": self._add_foreign,
            "delete foreign": lambda how: self._ask("DELETE", f"{CORE}/pods/{how['name']}"),
            "delete member": self._delete_member,
            "fail member": lambda how: self._end_member(how, {"phase": "Failed"}),
            "evict member": lambda how: self._end_member(how, {"phase": "Failed", "reason": "Evicted"}),
            "poison pod": self._poison_pod,
        }

    def _of_admission(self) -> Acts:
        """What admission refuses."""
        return {
            "quota": lambda how: self._ask("POST", f"{CORE}/resourcequotas", quota("chaos", pods=str(how["pods"]))),
            "no quota": lambda how: self._ask("DELETE", f"{CORE}/resourcequotas/chaos"),
            "limit range": lambda how: self._ask("POST", f"{CORE}/limitranges", limit_range(how["cpu"])),
            "no limit range": lambda how: self._ask("DELETE", f"{CORE}/limitranges/chaos"),
        }

    def prepare(self) -> None:
        """What every walk begins with."""
        self.api.create_namespace(NAMESPACE)
        for name in FIRST_NODES:
            self.add_node(name, "4")
        for name, value in (("chaos-high", 1000), ("chaos-first", 2000)):
            self._ask("POST", PRIORITIES, priority_class(name, value))
        self._ask("POST", PRIORITIES, priority_class("chaos-urgent", 1500, policy="PreemptLowerPriority"))

    def do(self, step: Step) -> None:
        """Carry out one step."""
        self.supervise()
        with suppress(ApiError):
            self._acts[step.act](step.how)

    def supervise(self) -> None:
        """Start the operator again where it found no API server when it was started; it may end for no other reason."""
        if self.operator.is_alive:
            return
        tail = self.operator.log_tail()
        assert "does not answer" in tail.splitlines()[-1] or "refuses access" in tail.splitlines()[-1], (
            f"the operator has ended by itself, with {self.operator.reap()}:\n{tail}"
        )
        self.failed_starts += 1
        self.operator.reap()
        self.operator.launch()

    def clean_up(self) -> None:
        """End all trouble: what keeps gangs out, but no gang, is taken away; four nodes are as at the beginning."""
        self.proxy.heal()
        for folder in (f"{CORE}/resourcequotas", f"{CORE}/limitranges", f"{BIDS}{BUT_MARKER}"):
            self._ask("DELETE", folder)
        for pod in self.list(f"{CORE}/pods"):
            if pod["metadata"]["name"].startswith("poison"):
                self._ask("DELETE", f"{CORE}/pods/{pod['metadata']['name']}?gracePeriodSeconds=0")
        for name in FIRST_NODES:
            self.add_node(name, "4")
            self._ask("PATCH", f"{NODES}/{name}", {"spec": {"unschedulable": None}})
            self._set_ready(name, "True")
            self._resize({"name": name, "cpu": "4"})

    def make_room(self) -> None:
        """Take away what others hold, and enlarge the first nodes, so that all that is there fits.

        An owner who has left keeps a node closed for a while, so another node has the room of such a node.
        """
        for pod in self.list(f"{CORE}/pods"):
            if pod["metadata"]["name"].startswith("foreign"):
                self._ask("DELETE", f"{CORE}/pods/{pod['metadata']['name']}?gracePeriodSeconds=0")
        for name in FIRST_NODES:
            self._resize({"name": name, "cpu": "8"})
        for name in self.with_owners:
            self.add_node(f"{name}-open", "8")

    def list(self, path: str) -> list[dict[str, Any]]:
        """Everything of a kind."""
        found: list[dict[str, Any]] = self.api.request("GET", path)["items"]
        return found

    def add_node(self, name: str, cpu: str) -> None:
        """Create a node if it is not there."""
        with suppress(ApiError):
            allocatable = {"cpu": cpu, "memory": "16Gi", "pods": "110"}
            self.api.create_nodes([Node(name=name, labels={LABEL: "yes"}, allocatable=allocatable)])

    def submit(self, manifest: Mapping[str, Any]) -> None:
        """Create a GangJob."""
        self._ask("POST", GANGS, manifest)

    def _ask(self, verb: str, path: str, body: Mapping[str, Any] | None = None) -> dict[str, Any]:
        return self.api.request(verb, path, body)

    def _submit(self, how: How) -> None:
        more: dict[str, Any] = {**how["policies"], **({"work": {"serialTime": how["work"]}} if how["work"] else {})}
        if how["priority"]:
            more["priorityClassName"] = how["priority"]
        pod = {"nodeSelector": {LABEL: "yes"}, "terminationGracePeriodSeconds": 1}
        manifest = gang(
            how["name"], size=(how["low"], how["high"]), cpu=how["cpu"], run_for=how["run_for"], pod=pod, **more
        )
        manifest = with_launcher(manifest) if how.get("has_launcher") else manifest
        if how["finalizer"]:
            manifest["metadata"]["finalizers"] = [FINALIZER]
        self.submit(manifest)

    def _delete_gang(self, how: How) -> None:
        policy = "?propagationPolicy=Foreground" if how["foreground"] else ""
        self._ask("DELETE", f"{GANGS}/{how['name']}{policy}")

    def _submit_set(self, how: How) -> None:
        with suppress(ApiError):
            self._ask("POST", POD_GANGS, gang_of_set(how))
        self._ask("POST", SETS, replica_set(how, {LABEL: "yes"}))

    def _lose_node_of(self, label: str, how: How) -> None:
        selector = escaped(f"{label}={how['name']}")
        pods = self.list(f"{CORE}/pods?labelSelector={selector}")
        nodes = sorted(pod["spec"]["nodeName"] for pod in pods if "nodeName" in pod["spec"])
        if nodes:
            self._acts[how["act"]]({"name": nodes[int(how["which"] * len(nodes))], "spec": how["spec"]})

    def _suspend_gang(self, how: How) -> None:
        self._ask("PATCH", f"{GANGS}/{how['name']}", {"spec": {"suspend": how["suspend"]}})

    def _ask_for_size(self, how: How) -> None:
        self._ask("PATCH", f"{GANGS}/{how['name']}", {"spec": {"elastic": {"size": how["size"]}}})

    def _report_progress(self, how: How) -> None:
        annotations = {"lockstep.dev/progress": how["part"]}
        self._ask("PATCH", f"{CORE}/pods/{self._member(how)}", {"metadata": {"annotations": annotations}})

    def _measure_speed(self, how: How) -> None:
        self._ask("PATCH", f"{GANGS}/{how['name']}/status", {"status": {"unitTimes": how["times"]}})

    def _set_ready(self, node: str, status: str) -> None:
        condition = {"type": "Ready", "status": status, "reason": "Chaos", "lastTransitionTime": from_now(0)}
        self._ask("PATCH", f"{NODES}/{node}/status", {"status": {"conditions": [condition]}})

    def _resize(self, how: How) -> None:
        amounts = {"cpu": how["cpu"]}
        self._ask("PATCH", f"{NODES}/{how['name']}/status", {"status": {"allocatable": amounts, "capacity": amounts}})

    def _put_bid(self, how: How) -> None:
        if how["spec"].get("ownerPresent"):
            self.with_owners.add(how["name"])
        times = {"availableUntil", "availableFrom", "expiresAt"}
        spec = {key: from_now(value) if key in times else value for key, value in how["spec"].items()}
        try:
            self._ask("POST", BIDS, bid(how["name"], **spec))
        except ApiError:
            self._ask("PATCH", f"{BIDS}/{how['name']}", {"spec": spec})

    def _add_foreign(self, how: How) -> None:
        self._ask("POST", f"{CORE}/pods", foreign_pod(how["name"], how["node"], cpu=how["cpu"]))

    def _member(self, how: How) -> str:
        selector = f"{CORE}/pods?labelSelector=lockstep.dev/gang%3D{how['gang']}"
        names = sorted(pod["metadata"]["name"] for pod in self.list(selector))
        return names[int(how["which"] * len(names))] if names else "missing"

    def _delete_member(self, how: How) -> None:
        self._ask("DELETE", f"{CORE}/pods/{self._member(how)}")

    def _end_member(self, how: How, status: Mapping[str, Any]) -> None:
        self._ask("PATCH", f"{CORE}/pods/{self._member(how)}/status", {"status": status})

    def _poison_gang(self, how: How) -> None:
        pod = {"nodeSelector": {LABEL: "yes"}}
        self.submit(gang(how["name"], size=(1, 2), cpu=how["quantity"], pod=pod))

    def _poison_pod(self, how: How) -> None:
        self._ask("POST", f"{CORE}/pods", foreign_pod(how["name"], how["node"], cpu=how["quantity"]))

    def _poison_bid(self, how: How) -> None:
        self._put_raw_bid(how["node"], {how["field"]: how["time"]})

    def _put_raw_bid(self, node: str, spec: Mapping[str, Any]) -> None:
        with suppress(ApiError):
            self._ask("DELETE", f"{BIDS}/{node}")
        self._ask("POST", BIDS, bid(node, **spec))

    def _restart_operator(self) -> None:
        self.operator.kill()
        self.operator.launch()

    def _restart_api_server(self) -> None:
        self.api.kill(Component.API_SERVER)
        self.api.restart(Component.API_SERVER)
        eventually(self._answers)

    def _answers(self) -> bool:
        try:
            self.list(GANGS)
        except (ApiError, OSError):
            return False
        return True


def limit_range(cpu: str) -> dict[str, Any]:
    """Describe a LimitRange with a default request, which admission adds to pods without one."""
    return {
        "apiVersion": "v1",
        "kind": "LimitRange",
        "metadata": {"name": "chaos"},
        "spec": {"limits": [{"type": "Container", "defaultRequest": {"cpu": cpu, "memory": "10Mi"}}]},
    }
