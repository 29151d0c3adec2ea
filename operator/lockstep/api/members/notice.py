"""The notice of a change of size: a file that members read, and the annotation by which they say that they are ready.

The kubelet writes the file from an annotation of the pod, in a volume of the template. Environment variables, and
files that are mounted by a subPath, keep the first value of the annotation. Members with only such a variable or file
read no notice.
"""

import re
import sys
from collections.abc import Iterator
from typing import Any

from lockstep.api.manifest import Manifest
from lockstep.api.names import READY_ANNOTATION, RESIZE_ANNOTATION
from lockstep.api.quantities import rfc3339
from lockstep.facts.elastic import NextSize

_FIELD = f"metadata.annotations['{RESIZE_ANNOTATION}']"
_NOTICE = re.compile(r"[1-9][0-9]{0,4} [0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")
# ``shown_notice`` returns this for an annotation that is not a notice. It equals no notice, so the operator writes the
# notice again.
_SOMETHING_ELSE = "?"


def reads_notice(template: Manifest) -> bool:
    """Whether members with that pod template have the notice as a file."""
    return any((one.get("fieldRef") or {}).get("fieldPath") == _FIELD for one in _files(template))


def notice_of(following: NextSize) -> str:
    """The text of a notice: the next size, and the latest time at which members are asked to end."""
    return f"{following.size} {rfc3339(following.asked_to_end_at)}"


def shown_notice(metadata: Manifest) -> str:
    """The notice that the pod has; '' without an annotation, and '?' if the annotation is not a notice."""
    text = (metadata.get("annotations") or {}).get(RESIZE_ANNOTATION, "")
    return _known(text) or (_SOMETHING_ELSE if text else "")


def ready_for(metadata: Manifest) -> str:
    """The notice for which the pod reports that it is ready; '' if it reports none."""
    return _known((metadata.get("annotations") or {}).get(READY_ANNOTATION, ""))


def notice_patch(notice: str, uid: str) -> dict[str, Any]:
    """A patch that gives this notice to the pod with that UID. '' removes the notice, and the pod's answer to it."""
    annotations = {RESIZE_ANNOTATION: notice} if notice else {RESIZE_ANNOTATION: None, READY_ANNOTATION: None}
    return {"metadata": {"uid": uid, "annotations": annotations}}


def _known(text: str) -> str:
    return sys.intern(text) if _NOTICE.fullmatch(text) else ""


def _files(template: Manifest) -> Iterator[Manifest]:
    """The files that the template's volumes make from fields of the pod, and that change with these fields."""
    spec = template.get("spec") or {}
    for volume in spec.get("volumes") or ():
        if _is_seen_at_its_start_only(spec, volume):
            continue
        sources = [volume, *((volume.get("projected") or {}).get("sources") or ())]
        for source in sources:
            yield from (source.get("downwardAPI") or {}).get("items") or ()


def _is_seen_at_its_start_only(spec: Manifest, volume: Manifest) -> bool:
    """Whether every container that mounts the volume uses a subPath. The kubelet never updates such mounts."""
    containers = (*(spec.get("containers") or ()), *(spec.get("initContainers") or ()))
    mounts = [mount for one in containers for mount in one.get("volumeMounts") or ()]
    of_volume = [mount for mount in mounts if mount.get("name") == volume.get("name")]
    return bool(of_volume) and all(mount.get("subPath") or mount.get("subPathExpr") for mount in of_volume)
