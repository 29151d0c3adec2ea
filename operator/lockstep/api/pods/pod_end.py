"""How a member ends, and what it says of its work: what is kept of a pod's status for its gang's policies."""

import re
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from lockstep.api.names import PROGRESS_ANNOTATION
from lockstep.facts.pods.pod import PodEnd

Manifest = Mapping[str, Any]

_PROGRESS = re.compile(r"0([.][0-9]{1,9})?|1([.]0{1,9})?")


def failed_containers(status: Manifest) -> Iterator[tuple[str, int]]:
    """The containers that did not end well, in the order in which they are listed, and their exit codes."""
    for container in [*(status.get("initContainerStatuses") or ()), *(status.get("containerStatuses") or ())]:
        ended = (container.get("state") or {}).get("terminated") or {}
        if ended.get("exitCode"):
            yield container["name"], ended["exitCode"]


def end_of(status: Manifest) -> PodEnd:
    """How the pod of that status ended, or is ending."""
    conditions = frozenset((one["type"], one["status"]) for one in status.get("conditions") or ())
    return PodEnd(tuple(failed_containers(status)), conditions)


def reported_progress(metadata: Manifest) -> str:
    """What part of the work is done, as the pod says; '' where it says nothing, or nonsense."""
    text = (metadata.get("annotations") or {}).get(PROGRESS_ANNOTATION, "")
    return sys.intern(text) if _PROGRESS.fullmatch(text) else ""
