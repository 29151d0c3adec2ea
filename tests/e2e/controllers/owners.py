"""Objects of one kind, whose controller makes pods of them: what tests do to them."""

from abc import ABC, abstractmethod
from typing import Any

from eventually import eventually
from live.pod_gangs import PodGangs
from lockstep.facts.gang.source import Source, made_name
from sandbox import ApiError

Manifest = dict[str, Any]
GONE = 404


class Owners(ABC):
    """The objects of one kind in an arena. Each makes the pods of the Gang of its name.

    Where ``is_made``, their pods name no Gang: the operator makes it, by what ``source`` finds in the pods.
    """

    group = ""
    plural = ""
    source = Source.JOB
    is_made = False

    def __init__(self, gangs: PodGangs) -> None:
        self.gangs = gangs
        self.api = gangs.api
        self.path = f"/apis/{self.group}/namespaces/{gangs.arena.namespace}/{self.plural}"

    # What differs from kind to kind

    @abstractmethod
    def manifest(self, name: str, size: int) -> Manifest:
        """An object with so many pods, each of which takes one processor."""

    @abstractmethod
    def losses(self, name: str) -> Manifest:
        """What its controller has counted of failures and new starts."""

    # What does not

    def gang(self, name: str) -> str:
        """The name of the Gang of an object."""
        return made_name(self.source, name) if self.is_made else name

    def template(self, name: str, **pod: Any) -> Manifest:
        """The template of the pods of an object."""
        return self.gangs.template("" if self.is_made else name, **pod)

    def create(self, name: str, size: int) -> None:
        """Create an object."""
        self.api.request("POST", self.path, self.manifest(name, size))

    def delete(self, name: str) -> None:
        """Delete an object, and with it its pods."""
        self.api.request("DELETE", f"{self.path}/{name}?propagationPolicy=Background")

    def suspend(self, name: str) -> None:
        """Have its pods taken away."""
        self.patch(name, {"suspend": True})

    def resume(self, name: str) -> None:
        """Have its pods made anew."""
        self.patch(name, {"suspend": False})

    def patch(self, name: str, spec: Manifest) -> None:
        """Change the spec of an object."""
        self.api.request("PATCH", f"{self.path}/{name}", {"spec": spec})

    def status(self, name: str) -> Manifest:
        """What its controller says of an object."""
        found: Manifest = self.api.request("GET", f"{self.path}/{name}").get("status") or {}
        return found

    def close(self) -> None:
        """Delete all of them, and return once none is left: their controllers may have finalizers."""

        def are_gone() -> bool:
            for item in self.api.request("GET", self.path)["items"]:
                self._delete_if_there(item["metadata"]["name"])
            return not self.api.request("GET", self.path)["items"]

        eventually(are_gone)

    def _delete_if_there(self, name: str) -> None:
        try:
            self.delete(name)
        except ApiError as error:
            if error.status != GONE:
                raise
