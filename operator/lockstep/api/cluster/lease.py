"""Leases of coordination.k8s.io, as client-go's electors write them, and with a proof of who has given one back.

A lease without a holder may have been emptied by somebody while its holder knows nothing of it. So a holder's name has
the digest of a key that it shows only when it gives the lease back.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from math import ceil
from typing import Any, Self
from uuid import uuid4

# Annotations: who held the lease last, and with which key it was given back.
HELD_BY = "lockstep.dev/held-by"
KEY = "lockstep.dev/given-back-with"

# As client-go gives a lease back.
_GIVEN_BACK_SECONDS = 1
# More the API server does not take, and anybody may have written it.
_MOST_TRANSITIONS = 2**31 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaseHolder:
    """Who may hold a lease: a name that no other process has, and the key that belongs to it."""

    name: str
    key: str

    @classmethod
    def of_instance(cls, instance: str) -> Self:
        """A holder that people know by this name."""
        key = uuid4().hex
        return cls(name=f"{instance}_{_digest(key)}", key=key)


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
    def is_unused(self) -> bool:
        """Whether it is as it was installed: nobody has held it yet."""
        return not self.holder and HELD_BY not in self._annotations

    @property
    def is_given_back(self) -> bool:
        """Whether its last holder itself has given it back."""
        last, key = self._annotations.get(HELD_BY, ""), self._annotations.get(KEY)
        return not self.holder and key is not None and last.endswith(f"_{_digest(key)}")

    @property
    def _annotations(self) -> Mapping[str, str]:
        return self.metadata.get("annotations") or {}


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


def new_lease(namespace: str, name: str, holder: LeaseHolder, *, seconds: float, now: float) -> dict[str, Any]:
    """What ``holder`` creates where there is no lease."""
    metadata = {"namespace": namespace, "name": name, "annotations": {HELD_BY: holder.name}}
    return _manifest(metadata, _held_spec(holder, seconds, now) | {"acquireTime": _micro_time(now)})


def held_lease(before: Lease, holder: LeaseHolder, *, seconds: float, now: float) -> dict[str, Any]:
    """What ``holder`` puts in the place of ``before``, as long as that stands, to take the lease or to renew it."""
    spec = _held_spec(holder, seconds, now)
    if before.holder == holder.name:
        acquired, transitions = before.spec.get("acquireTime", spec["renewTime"]), before.transitions
    else:
        acquired, transitions = spec["renewTime"], min(before.transitions + 1, _MOST_TRANSITIONS)
    metadata = _with_annotations(before, {HELD_BY: holder.name, KEY: None})
    return _manifest(metadata, spec | {"acquireTime": acquired, "leaseTransitions": transitions})


def given_back_lease(before: Lease, holder: LeaseHolder, *, now: float) -> dict[str, Any]:
    """What ``holder`` puts in the place of ``before`` to give the lease back."""
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
    """Its metadata with our annotations. Everything else stays: by it Helm knows what it has installed."""
    annotations = {**(before.metadata.get("annotations") or {}), **ours}
    known = {name: value for name, value in annotations.items() if value is not None}
    return {**before.metadata, "annotations": known}


def _manifest(metadata: Mapping[str, Any], spec: Mapping[str, Any]) -> dict[str, Any]:
    return {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": metadata, "spec": spec}


def _digest(key: str) -> str:
    return sha256(key.encode()).hexdigest()[:32]


def _micro_time(now: float) -> str:
    """As the API spells a MicroTime: always six decimals."""
    return datetime.fromtimestamp(now, tz=UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
