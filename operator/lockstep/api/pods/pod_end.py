"""Parses the parts of a pod's status that the policies of its gang need: how the member ended, and its progress."""

import re
import sys
from collections.abc import Iterator

from lockstep.api.manifest import Manifest
from lockstep.api.names import PROGRESS_ANNOTATION
from lockstep.facts.pods.pod import PodEnd

_PROGRESS = re.compile(r"0([.][0-9]{1,9})?|1([.]0{1,9})?")


def failed_containers(status: Manifest) -> Iterator[tuple[str, int]]:
    """The containers that failed, with their exit codes, in their order in the status."""
    for container in [*(status.get("initContainerStatuses") or ()), *(status.get("containerStatuses") or ())]:
        ended = (container.get("state") or {}).get("terminated") or {}
        if ended.get("exitCode"):
            yield container["name"], ended["exitCode"]


def end_of(status: Manifest) -> PodEnd:
    """How the pod with that status ended or is ending."""
    conditions = frozenset((one["type"], one["status"]) for one in status.get("conditions") or ())
    return PodEnd(tuple(failed_containers(status)), conditions)


def reported_progress(metadata: Manifest) -> str:
    """The part of the work that the pod reports as done; '' if it reports nothing or an invalid value."""
    text = (metadata.get("annotations") or {}).get(PROGRESS_ANNOTATION, "")
    return sys.intern(text) if _PROGRESS.fullmatch(text) else ""
