"""The pod of one member: the gang's template, with its name, its owner and what it must know about itself."""

from collections.abc import Mapping
from typing import Any

from lockstep.facts import GangFact
from lockstep.names import API_VERSION, ATTEMPT_LABEL, GANG_KIND, GANG_LABEL, RANK_LABEL, SCHEDULER_NAME
from lockstep.state import Reservation, pod_name

Manifest = dict[str, Any]


class MemberPods:
    """Makes the pods of one attempt. What they share is built once; pods must not be changed after they were made.

    Adds nothing that widens what the template's writer may do: names, labels, an owner, variables, and the gang's
    priority class.
    """

    def __init__(self, gang: GangFact, reservation: Reservation) -> None:
        assert gang.spec is not None, "a refused gang has no members"
        template = gang.spec.template
        metadata = template.get("metadata") or {}
        self._gang = gang
        self._attempt = reservation.attempt
        self._annotations = metadata.get("annotations") or {}
        self._labels = {
            **(metadata.get("labels") or {}),
            GANG_LABEL: gang.key.name,
            ATTEMPT_LABEL: str(reservation.attempt),
        }
        self._owner = {
            "apiVersion": API_VERSION,
            "kind": GANG_KIND,
            "name": gang.key.name,
            "uid": gang.uid,
            "controller": True,
            # True would need a right over the GangJob's finalizers, and only delays its foreground deletion.
            "blockOwnerDeletion": False,
        }
        self._spec = {"restartPolicy": "Never", **template["spec"], "schedulerName": SCHEDULER_NAME}
        if gang.spec.priority_class:
            self._spec["priorityClassName"] = gang.spec.priority_class
        self._shared_variables = {
            "LOCKSTEP_GANG": gang.key.name,
            "LOCKSTEP_ATTEMPT": str(reservation.attempt),
            "LOCKSTEP_SIZE": str(reservation.size),
        }

    def pod(self, rank: int) -> Manifest:
        """The pod of that rank."""
        return {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {
                "name": pod_name(self._gang.key.name, self._attempt, rank),
                "namespace": self._gang.key.namespace,
                "labels": {**self._labels, RANK_LABEL: str(rank)},
                "annotations": self._annotations,
                "ownerReferences": [self._owner],
            },
            "spec": self._spec_of(rank),
        }

    def _spec_of(self, rank: int) -> Manifest:
        variables = {**self._shared_variables, "LOCKSTEP_RANK": str(rank)}
        spec = dict(self._spec)
        for kind in ("initContainers", "containers"):
            if spec.get(kind):
                spec[kind] = [_with_variables(container, variables) for container in spec[kind]]
        return spec


def _with_variables(container: Mapping[str, Any], variables: Mapping[str, str]) -> Manifest:
    """Ours come first, so that the container's own variables can refer to them, or replace them."""
    ours = [{"name": name, "value": value} for name, value in variables.items()]
    return {**container, "env": [*ours, *(container.get("env") or ())]}
