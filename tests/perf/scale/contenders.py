"""The programs that are compared: what each needs of a control plane, and what a gang is for it."""

import asyncio
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Protocol

from bench_cluster import NAMESPACE, operator
from pod_groups import FLAGS, GROUPS, in_group, pod_group

from builders.manifests import gang as gang_job
from live.scheduling_groups import RELEASE
from lockstep.api.client import paths
from lockstep.api.client.answer import Target
from lockstep.api.client.client import KubeClient
from lockstep.api.members.binding import binding_manifest
from lockstep.facts.pods.pod import PodKey
from lockstep_demo.operator_process import OperatorProcess
from sandbox import Component, Sandbox


class Gang(NamedTuple):
    """A gang to submit. Its name has no dash, since names of its pods begin with it and a dash."""

    name: str
    size: int
    cpu: int = 1


class Contender(Protocol):
    """A program that places gangs, the addons of a sandbox that it needs, and options of these."""

    @property
    def name(self) -> str:
        """As the table has it."""

    @property
    def addons(self) -> frozenset[Component]:
        """Those that it needs."""

    @property
    def flags(self) -> Mapping[Component, tuple[str, ...]]:
        """What turns it on."""

    def running(self, sandbox: Sandbox, folder: Path) -> AbstractContextManager[OperatorProcess | None]:
        """Run the program; a component of the sandbox runs already. ``folder`` is an empty one for its controllers."""

    async def submit(self, client: KubeClient, gang: Gang) -> None:
        """Create what a user creates."""

    async def saying_why(self, client: KubeClient) -> int:
        """How many gangs say that they wait, and why."""


class Lockstep:
    """The operator, which makes the pods."""

    name = "Lockstep"
    addons = frozenset[Component]()
    flags: ClassVar[Mapping[Component, tuple[str, ...]]] = {}

    def running(self, sandbox: Sandbox, folder: Path) -> AbstractContextManager[OperatorProcess | None]:
        """See ``Contender``."""
        return operator(sandbox)

    async def submit(self, client: KubeClient, gang: Gang) -> None:
        """See ``Contender``."""
        made = gang_job(gang.name, size=gang.size, cpu=str(gang.cpu), work={"serialTime": "10h"})
        succeeded(await client.create(paths.gangs_of(NAMESPACE), made))

    async def saying_why(self, client: KubeClient) -> int:
        """See ``Contender``."""
        return sum(
            says_why(one, "Planned", later="StartsLater") for one in await listed(client, paths.gangs_of(NAMESPACE))
        )


class KubeScheduler:
    """kube-scheduler's own gangs: the user makes a PodGroup and its pods."""

    name = "kube-scheduler"
    addons = frozenset({Component.SCHEDULER})
    flags = FLAGS

    def running(self, sandbox: Sandbox, folder: Path) -> AbstractContextManager[OperatorProcess | None]:
        """See ``Contender``."""
        return nullcontext()

    async def submit(self, client: KubeClient, gang: Gang) -> None:
        """See ``Contender``."""
        succeeded(await client.create(GROUPS, pod_group(gang.name, gang.size)))
        await _create_pods(client, [in_group(pod, gang.name) for pod in _pods(gang)])

    async def saying_why(self, client: KubeClient) -> int:
        """See ``Contender``."""
        return sum(says_why(one, RELEASE.condition) for one in await listed(client, GROUPS))


class LeanClient:
    """A client that creates such pods and binds them in turn, without any decision: what the API server can do."""

    name = "lean client"
    addons = frozenset[Component]()
    flags: ClassVar[Mapping[Component, tuple[str, ...]]] = {}

    def __init__(self, nodes: list[str]) -> None:
        self._nodes = nodes
        self._bound = 0

    def running(self, sandbox: Sandbox, folder: Path) -> AbstractContextManager[OperatorProcess | None]:
        """See ``Contender``."""
        return nullcontext()

    async def submit(self, client: KubeClient, gang: Gang) -> None:
        """See ``Contender``."""
        made = await _create_pods(client, _pods(gang, schedulerName="none"))
        await asyncio.gather(*(self._bind(client, key, uid) for key, uid in made.items()))

    async def saying_why(self, client: KubeClient) -> int:
        """See ``Contender``."""
        raise AssertionError("it decides nothing")

    async def _bind(self, client: KubeClient, key: PodKey, uid: str) -> None:
        node = self._nodes[self._bound % len(self._nodes)]
        self._bound += 1
        succeeded(await client.create(paths.pod_binding(key), binding_manifest(key, uid, node)))


async def _create_pods(client: KubeClient, pods: list[Mapping[str, Any]]) -> dict[PodKey, str]:
    """Create pods; returns their UIDs."""
    answers = await asyncio.gather(*(client.create(paths.pods_of(NAMESPACE), pod) for pod in pods))
    created = [succeeded(answer).body["metadata"] for answer in answers]
    return {PodKey(NAMESPACE, metadata["name"]): metadata["uid"] for metadata in created}


def _pods(gang: Gang, **spec: Any) -> list[Mapping[str, Any]]:
    return [pod_manifest(f"{gang.name}-{rank}", gang.cpu, spec) for rank in range(gang.size)]


def pod_manifest(name: str, cpu: int, spec: Mapping[str, Any]) -> dict[str, Any]:
    """A pod of one container that requests so many CPUs."""
    resources = {"requests": {"cpu": str(cpu), "memory": "256Mi"}}
    container = {"name": "main", "image": "registry.k8s.io/pause:3.10", "resources": resources}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": {"containers": [container], **spec}}


async def listed(client: KubeClient, target: Target) -> list[dict[str, Any]]:
    """All objects of a kind."""
    items: list[dict[str, Any]] = succeeded(await client.get(target)).body["items"]
    return items


def says_why(manifest: Mapping[str, Any], condition: str, *, later: str = "") -> bool:
    """Whether the gang says why it waits: its condition is false, or true with ``later`` as the reason."""
    conditions = manifest.get("status", {}).get("conditions") or ()
    found = [one for one in conditions if one["type"] == condition and one.get("message")]
    return any(one["status"] == "False" or one.get("reason") == later for one in found)


def succeeded(answer: Any) -> Any:
    """The same answer, if it is a success."""
    assert answer.is_success, answer.message
    return answer
