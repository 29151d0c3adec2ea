"""Leases of coordination.k8s.io, as client-go's electors write them."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from math import ceil
from typing import Any

# How client-go gives a lease back: nobody holds it, and whoever wants it need not wait.
RELEASED_SECONDS = 1

# More the API server does not take, and anybody may have written it.
_MOST_TRANSITIONS = 2**31 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """Who holds a lease, and for how many seconds after each renewal.

    ``spec`` is all that is written there: a holder that renews changes it. ``metadata`` is what others say of it, and
    stays. ``holder`` is empty where nobody holds it.
    """

    uid: str
    version: str
    metadata: Mapping[str, Any]
    holder: str
    seconds: int
    transitions: int
    spec: Mapping[str, Any]

    @property
    def is_given_back(self) -> bool:
        """Whether its last holder has given it back, or it was never held."""
        return not self.holder and self.seconds <= RELEASED_SECONDS


def read_lease(manifest: Mapping[str, Any]) -> Lease:
    """The lease in an API object. The API server sees to it that the fields have their types."""
    metadata, spec = manifest["metadata"], manifest.get("spec") or {}
    return Lease(
        uid=metadata["uid"],
        version=metadata["resourceVersion"],
        # Who has written which field is for the API server to say; by its UID one that was deleted can't be made anew.
        metadata={key: value for key, value in metadata.items() if key not in ("managedFields", "uid")},
        holder=spec.get("holderIdentity") or "",
        seconds=spec.get("leaseDurationSeconds") or 0,
        transitions=spec.get("leaseTransitions") or 0,
        spec=spec,
    )


def held_spec(before: Lease | None, holder: str, *, seconds: float, now: float) -> dict[str, Any]:
    """What ``holder`` writes when it takes the lease, or renews it."""
    when = _micro_time(now)
    spec = {"holderIdentity": holder, "leaseDurationSeconds": ceil(seconds), "renewTime": when}
    if before is None:
        return {**spec, "acquireTime": when, "leaseTransitions": 0}
    if before.holder == holder:
        return {**spec, "acquireTime": before.spec.get("acquireTime", when), "leaseTransitions": before.transitions}
    return {**spec, "acquireTime": when, "leaseTransitions": min(before.transitions + 1, _MOST_TRANSITIONS)}


def released_spec(before: Lease, *, now: float) -> dict[str, Any]:
    """What the holder writes when it gives the lease back."""
    when = _micro_time(now)
    return {
        "holderIdentity": "",
        "leaseDurationSeconds": RELEASED_SECONDS,
        "acquireTime": when,
        "renewTime": when,
        "leaseTransitions": before.transitions,
    }


def lease_manifest(namespace: str, name: str, spec: Mapping[str, Any], *, before: Lease | None) -> dict[str, Any]:
    """The object to create, or what is to replace ``before`` as long as that stands.

    What else others have written about it stays: by its labels and annotations Helm knows what it has installed.
    """
    metadata = {"name": name, "namespace": namespace} if before is None else before.metadata
    return {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": metadata, "spec": spec}


def _micro_time(now: float) -> str:
    """As the API spells a MicroTime: always six decimals."""
    return datetime.fromtimestamp(now, tz=UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
