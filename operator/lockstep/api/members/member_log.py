"""Parses the facts about a container's log from its pod: the member, and whether the container has a log yet."""

from collections.abc import Sequence
from typing import NamedTuple

from lockstep.api.manifest import Manifest
from lockstep.api.membership import membership
from lockstep.facts.pods.pod import Membership, PodKey

_DEFAULT_CONTAINER = "kubectl.kubernetes.io/default-container"
_NOT_STARTED = "it has not been started"


class MemberLog(NamedTuple):
    """One container of a member. ``why_none`` says why it has no log yet; it is '' if there is a log.

    ``restarts`` is how often the container has restarted. Each start has its own log. ``has_ended`` is whether the
    container does not run any more.
    """

    member: Membership
    pod: PodKey
    container: str
    restarts: int
    why_none: str
    has_ended: bool


def parse_member_log(manifest: Manifest, container: str) -> MemberLog | None:
    """The log of the container of that name. If the name is '', the pod's default or first container counts.

    None if the pod is not a member of a GangJob.
    """
    metadata, spec = manifest["metadata"], manifest["spec"]
    member = membership(metadata)
    if member is None:
        return None
    chosen = container or _default(metadata, [one["name"] for one in spec["containers"]])
    status = _status_of(manifest.get("status") or {}, chosen)
    return MemberLog(
        member=member,
        pod=PodKey(metadata["namespace"], metadata["name"]),
        container=chosen,
        restarts=int(status.get("restartCount") or 0),
        why_none="" if _has_log(status) else _why_none(spec, status),
        has_ended=_has_log(status) and "running" not in (status.get("state") or {}),
    )


def containers_of(manifest: Manifest) -> list[str]:
    """The names of all containers of a pod that may have a log."""
    spec = manifest["spec"]
    return [one["name"] for one in (*spec["containers"], *(spec.get("initContainers") or ()))]


def _default(metadata: Manifest, names: Sequence[str]) -> str:
    named = (metadata.get("annotations") or {}).get(_DEFAULT_CONTAINER)
    return str(named) if named in names else names[0]


def _status_of(status: Manifest, container: str) -> Manifest:
    of_all = (*(status.get("containerStatuses") or ()), *(status.get("initContainerStatuses") or ()))
    return next((one for one in of_all if one["name"] == container), {})


def _has_log(status: Manifest) -> bool:
    state, before = status.get("state") or {}, status.get("lastState") or {}
    return "running" in state or "terminated" in state or "terminated" in before


def _why_none(spec: Manifest, status: Manifest) -> str:
    if not spec.get("nodeName"):
        return "it is not bound to a node yet"
    waiting = (status.get("state") or {}).get("waiting") or {}
    reason, message = waiting.get("reason") or _NOT_STARTED, waiting.get("message") or ""
    return f"{reason} on {spec['nodeName']}" + (f": {message}" if message else "")
