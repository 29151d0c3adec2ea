"""Plain pods that name a group of Kueue: what tests create of them, and what they see."""

from collections.abc import Mapping
from typing import Any

from eventually import eventually
from live.pod_gangs import Manifest, PodGangs

NAME, COUNT = "kueue.x-k8s.io/pod-group-name", "kueue.x-k8s.io/pod-group-total-count"
GATE = "kueue.x-k8s.io/admission"


class KueueGroup:
    """A group of an arena, whose Gang the operator makes; ``labels`` are others that its pods have."""

    def __init__(self, gangs: PodGangs, name: str = "heat", labels: Mapping[str, str] | None = None) -> None:
        self.gangs = gangs
        self.gang = f"kueuegroup.{name}"
        self._labels = {NAME: name, **(labels or {})}
        self.arena = gangs.arena
        self._pods = f"{gangs.arena.core}/pods"

    def create(
        self, *names: str, count: object, annotations: dict[str, str] | None = None, cpu: str = "1", **pod: Any
    ) -> None:
        """Create pods that say that their group has so many pods; None for pods that do not say it."""
        says = {} if count is None else {COUNT: str(count)}
        for name in names:
            template = self.gangs.template("", cpu, **pod)
            metadata = {"name": name, "labels": self._labels, "annotations": says | (annotations or {})}
            self.arena.create({"apiVersion": "v1", "kind": "Pod", **template, "metadata": metadata})

    def delete(self, *names: str) -> None:
        """Delete pods at once, and wait until they are gone."""
        for name in names:
            self.gangs.api.request("DELETE", f"{self._pods}/{name}?gracePeriodSeconds=0")
        eventually(lambda: not {*names} & {*self.pods()})

    def admit(self, *names: str) -> None:
        """Take the gates off pods, as Kueue does."""
        for name in names:
            self.gangs.api.request("PATCH", f"{self._pods}/{name}", {"spec": {"schedulingGates": None}})

    def pods(self) -> list[str]:
        """The names of its pods."""
        return [pod["metadata"]["name"] for pod in self.gangs.pods(self.gang)]

    def owners(self) -> list[str]:
        """The names of the pods that own its Gang."""
        return [owner["name"] for owner in self.made()["ownerReferences"]]

    def made(self) -> Manifest:
        """The metadata of its Gang."""
        found: Manifest = self.gangs.api.request("GET", f"{self.gangs.path}/{self.gang}")["metadata"]
        return found

    def reasons(self, *names: str) -> dict[str, str]:
        """The events about these pods, by their reason."""
        events = (event for name in names for event in self.arena.events(name))
        return {event["reason"]: event["note"] for event in events if event["regarding"]["kind"] == "Pod"}
