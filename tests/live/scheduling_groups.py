"""PodGroups of Kubernetes' own: a control plane that has them, and what tests create and see of them."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from builders.manifests import RUN_FOR
from eventually import eventually
from live.arena import Arena
from live.examples import OF_CONTROLLERS
from live.places import Places, places_of
from live.pod_gangs import PodGangs
from live.releases import RELEASE as NAME
from lockstep_demo.installing import install
from sandbox import Component, Options, Sandbox, start

Manifest = dict[str, Any]
GROUP = "scheduling.k8s.io"
RIGHTS = Path(__file__).parents[2] / "operator"


class Release(NamedTuple):
    """What a release of Kubernetes has of this API: gates, versions with the best one first, and the condition.

    Some gates have no API of their own, only fields. Without a condition there are no PodGroups yet, but parts of a
    Workload. ``gives_all_jobs_groups``: also Jobs that ask for none have a PodGroup, whose policy is ``basic``.
    """

    gates: tuple[str, ...]
    versions: tuple[str, ...]
    condition: str
    gives_all_jobs_groups: bool = False

    @property
    def version(self) -> str:
        """The version that tests write."""
        return f"{GROUP}/{self.versions[0]}"

    @property
    def flags(self) -> dict[Component, tuple[str, ...]]:
        """What turns the API on."""
        gates = f"--feature-gates={','.join(f'{gate}=true' for gate in self.gates)}"
        served = f"--runtime-config={','.join(f'{GROUP}/{version}=true' for version in self.versions)}"
        others = dict.fromkeys((Component.CONTROLLER_MANAGER, Component.SCHEDULER), (gates,))
        return {Component.API_SERVER: (gates, served), **others}


_COMMON = ("GenericWorkload", "WorkloadWithJob", "TopologyAwareWorkloadScheduling")
RELEASES = {
    "1.35": Release(("GenericWorkload", "GangScheduling"), ("v1alpha1",), condition=""),
    "1.36": Release((*_COMMON, "GangScheduling", "WorkloadAwarePreemption"), ("v1alpha2",), "PodGroupScheduled"),
    "1.37": Release(
        (*_COMMON, "CompositePodGroup", "PodGroupPreemptionPolicy"),
        ("v1beta1", "v1alpha3"),
        "PodGroupInitiallyScheduled",
        gives_all_jobs_groups=True,
    ),
}
RELEASE = RELEASES[NAME]
"""That of this run."""


@contextmanager
def with_scheduling_groups(state: Path) -> Iterator[Sandbox]:
    """A control plane that has the API and makes PodGroups for Jobs, with kube-scheduler beside."""
    addons = frozenset({Component.KWOK, Component.CONTROLLER_MANAGER, Component.SCHEDULER})
    with start(Options(name="scheduling-groups", addons=addons, state=state, flags=RELEASE.flags)) as api:
        install(api)
        for name in ("sources", "suspending", "sizing"):
            api.apply(RIGHTS / f"rbac-{name}.yaml")
        yield api


class SchedulingGroups:
    """The PodGroups of an arena, and pods that name them."""

    def __init__(self, arena: Arena) -> None:
        self.arena = arena
        self.api = arena.api
        self.gangs = PodGangs(arena)
        self.path = f"/apis/{RELEASE.version}/namespaces/{arena.namespace}/podgroups"

    # Making things

    def create(self, name: str, least: int | None, **spec: Any) -> Manifest:
        """Create a PodGroup whose pods are placed together; without a number, one whose policy is ``basic``."""
        policy = {"basic": {}} if least is None else {"gang": {"minCount": least}}
        body = {"apiVersion": RELEASE.version, "kind": "PodGroup", "metadata": {"name": name}}
        return self.api.request("POST", self.path, {**body, "spec": {"schedulingPolicy": policy, **spec}})

    def create_pods(self, group: str, *names: str, cpu: str = "1", **pod: Any) -> None:
        """Create pods that name a group."""
        self.gangs.create_pods("", *names, cpu=cpu, schedulingGroup={"podGroupName": group}, **pod)

    def apply_example(self) -> None:
        """Apply the example, in the version that this release has."""
        written = (OF_CONTROLLERS / "schedulinggroup.yaml").read_text(encoding="utf-8")
        documents = list(yaml.safe_load_all(written.replace(f"{GROUP}/v1alpha2", RELEASE.version)))
        for document in documents:
            document["metadata"]["namespace"] = self.arena.namespace
        self.api.apply(documents)

    def change_count(self, name: str, least: int) -> None:
        """Have a PodGroup need so many pods."""
        spec = {"schedulingPolicy": {"gang": {"minCount": least}}}
        self.api.request("PATCH", f"{self.path}/{name}", {"spec": spec})

    def short_lived(self) -> Manifest:
        """The template of pods that succeed after a second."""
        return self.gangs.template("", annotations={RUN_FOR: "1s"})

    def delete(self, name: str) -> None:
        """Delete a PodGroup: a finalizer keeps it until its pods have ended."""
        self.api.request("DELETE", f"{self.path}/{name}")

    # Seeing things

    def of_job(self, name: str) -> str:
        """The name of the group that the Job controller has made for a Job."""

        def made() -> str:
            groups = self.api.request("GET", self.path)["items"]
            owned = [one for one in groups if (name, True) in _owners(one)]
            return str(owned[0]["metadata"]["name"]) if owned else ""

        return eventually(made)

    def pods(self, group: str) -> list[Manifest]:
        """The pods that name a group, by name."""
        pods = self.api.request("GET", f"{self.arena.core}/pods")["items"]
        named = [pod for pod in pods if pod["spec"].get("schedulingGroup", {}).get("podGroupName") == group]
        return sorted(named, key=lambda pod: str(pod["metadata"]["name"]))

    def places(self, group: str) -> Places:
        """Where the pods that name a group are, by one answer."""
        return places_of(self.pods(group))

    def nodes_of(self, group: str) -> dict[str, str]:
        """The node of each pod that names a group; '' for a pod that is not bound."""
        return {pod["metadata"]["name"]: pod["spec"].get("nodeName", "") for pod in self.pods(group)}

    def bound(self, group: str) -> int:
        """How many pods of a group are on nodes."""
        return sum(node != "" for node in self.nodes_of(group).values())

    def exists(self, name: str) -> bool:
        """Whether there is a PodGroup of that name."""
        return name in [one["metadata"]["name"] for one in self.api.request("GET", self.path)["items"]]

    def condition(self, group: str) -> Manifest:
        """The condition of a group that says whether it is scheduled; empty while there is none."""
        found = self.api.request("GET", f"{self.path}/{group}").get("status", {}).get("conditions", [])
        return next((one for one in found if one["type"] == RELEASE.condition), {})

    def until(self, group: str, status: str, sentence: str = "") -> Manifest:
        """Wait until the condition of a group has that status, and a message with that sentence; return it."""

        def probe() -> Manifest:
            found = self.condition(group)
            return found if found.get("status") == status and sentence in found["message"] else {}

        try:
            return eventually(probe)
        except AssertionError as error:
            said = self.condition(group), self.gangs.status(f"schedulinggroup.{group}"), self.nodes_of(group)
            raise AssertionError(f"{group}: {said}") from error

    def close(self) -> None:
        """Delete what the arena does not know."""
        self.gangs.close()
        self.api.request("DELETE", self.path)


def _owners(group: Manifest) -> list[tuple[str, bool]]:
    return [(one["name"], one.get("controller", False)) for one in group["metadata"].get("ownerReferences", ())]
