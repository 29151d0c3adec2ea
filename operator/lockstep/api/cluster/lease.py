"""Leases of coordination.k8s.io in the format of client-go, and a proof that a holder has released its lease.

Another writer may empty the lease, without the holder's knowledge. So a lease without a holder is not proof of a
release. Therefore the name of a holder contains the digest of a key, and the holder publishes the key only when it
releases the lease.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from math import ceil
from typing import Any, Self
from uuid import uuid4

# Annotations: the name of the last holder, and the key with which it released the lease.
HELD_BY = "lockstep.dev/held-by"
KEY = "lockstep.dev/given-back-with"

# The duration of a released lease in seconds, as in client-go.
_GIVEN_BACK_SECONDS = 1
# The largest number that the API server accepts. Another user may have written this number into the lease.
_MOST_TRANSITIONS = 2**31 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaseHolder:
    """A candidate for holding a lease: its unique name, and the key that belongs to this name."""

    name: str
    key: str

    @classmethod
    def of_instance(cls, instance: str) -> Self:
        """A new candidate for the instance of that name."""
        key = uuid4().hex
        return cls(name=f"{instance}_{_digest(key)}", key=key)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """A lease: its holder, and for how many ``seconds`` the holder holds it after each renewal.

    ``holder`` is '' if the lease has none. ``spec`` is the whole spec, which changes with each renewal. Our writes keep
    the entries of ``metadata`` that other clients have written.
    """

    uid: str
    version: str
    metadata: Mapping[str, Any]
    holder: str
    seconds: int
    transitions: int
    spec: Mapping[str, Any]

    @property
    def is_unused(self) -> bool:
        """Whether the lease is as it was installed: it never had a holder."""
        return not self.holder and HELD_BY not in self._annotations

    @property
    def is_given_back(self) -> bool:
        """Whether the last holder of the lease has released it."""
        last, key = self._annotations.get(HELD_BY, ""), self._annotations.get(KEY)
        return not self.holder and key is not None and last.endswith(f"_{_digest(key)}")

    @property
    def _annotations(self) -> Mapping[str, str]:
        return self.metadata.get("annotations") or {}


def read_lease(manifest: Mapping[str, Any]) -> Lease:
    """Parse a lease. The API server guarantees the types of its fields."""
    metadata, spec = manifest["metadata"], manifest.get("spec") or {}
    return Lease(
        uid=metadata["uid"],
        version=metadata["resourceVersion"],
        # The API server itself writes managedFields. If the lease was deleted, the holder's next write creates it
        # again. With a UID, that write would be refused.
        metadata={key: value for key, value in metadata.items() if key not in ("managedFields", "uid")},
        holder=spec.get("holderIdentity") or "",
        seconds=spec.get("leaseDurationSeconds") or 0,
        transitions=spec.get("leaseTransitions") or 0,
        spec=spec,
    )


def new_lease(namespace: str, name: str, holder: LeaseHolder, *, seconds: float, now: float) -> dict[str, Any]:
    """The lease that ``holder`` creates if there is none."""
    metadata = {"namespace": namespace, "name": name, "annotations": {HELD_BY: holder.name}}
    return _manifest(metadata, _held_spec(holder, seconds, now) | {"acquireTime": _micro_time(now)})


def held_lease(before: Lease, holder: LeaseHolder, *, seconds: float, now: float) -> dict[str, Any]:
    """The lease that ``holder`` writes to take or renew it.

    The write fails if the lease has changed since ``before``.
    """
    spec = _held_spec(holder, seconds, now)
    if before.holder == holder.name:
        acquired, transitions = before.spec.get("acquireTime", spec["renewTime"]), before.transitions
    else:
        acquired, transitions = spec["renewTime"], min(before.transitions + 1, _MOST_TRANSITIONS)
    metadata = _with_annotations(before, {HELD_BY: holder.name, KEY: None})
    return _manifest(metadata, spec | {"acquireTime": acquired, "leaseTransitions": transitions})


def given_back_lease(before: Lease, holder: LeaseHolder, *, now: float) -> dict[str, Any]:
    """The lease that ``holder`` writes to release it. The write fails if the lease has changed since ``before``."""
    when = _micro_time(now)
    spec = {
        "holderIdentity": "",
        "leaseDurationSeconds": _GIVEN_BACK_SECONDS,
        "acquireTime": when,
        "renewTime": when,
        "leaseTransitions": before.transitions,
    }
    return _manifest(_with_annotations(before, {HELD_BY: holder.name, KEY: holder.key}), spec)


def _held_spec(holder: LeaseHolder, seconds: float, now: float) -> dict[str, Any]:
    return {
        "holderIdentity": holder.name,
        "leaseDurationSeconds": ceil(seconds),
        "renewTime": _micro_time(now),
        "leaseTransitions": 0,
    }


def _with_annotations(before: Lease, ours: Mapping[str, str | None]) -> dict[str, Any]:
    """The metadata with our annotations. Other entries stay, since Helm recognizes its objects by them."""
    annotations = {**(before.metadata.get("annotations") or {}), **ours}
    known = {name: value for name, value in annotations.items() if value is not None}
    return {**before.metadata, "annotations": known}


def _manifest(metadata: Mapping[str, Any], spec: Mapping[str, Any]) -> dict[str, Any]:
    return {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": metadata, "spec": spec}


def _digest(key: str) -> str:
    return sha256(key.encode()).hexdigest()[:32]


def _micro_time(now: float) -> str:
    """A time in the format MicroTime of the API, which always has six decimals."""
    return datetime.fromtimestamp(now, tz=UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
