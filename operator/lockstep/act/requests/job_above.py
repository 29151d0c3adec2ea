"""A PodGroup of Kubernetes' own with the annotations of its Job, in which people write them: they make no PodGroup."""

from collections.abc import Collection

from lockstep.api.client.client import KubeClient
from lockstep.api.manifest import Manifest
from lockstep.api.podgang.owners import OWNERS
from lockstep.api.podgang.single_pods import controller_of
from lockstep.facts.gang.source import Source


async def with_annotations_of_job(client: KubeClient, sources: Collection[Source], group: Manifest) -> Manifest:
    """The group with the annotations of the Job that controls it, if Jobs are a source; its own count first.

    Raises ``ApiUnavailableError``.
    """
    metadata, kind = group["metadata"], OWNERS[Source.JOB]
    controller = controller_of(metadata)
    is_of_job = (controller.get("apiVersion"), controller.get("kind")) == (kind.api_version, kind.kind)
    if not is_of_job or Source.JOB not in sources:
        return group
    answer = await client.get(kind.target(metadata["namespace"], controller["name"]))
    if not answer.is_success or answer.body["metadata"]["uid"] != controller["uid"]:
        return group
    of_job = answer.body["metadata"].get("annotations") or {}
    return {**group, "metadata": {**metadata, "annotations": {**of_job, **(metadata.get("annotations") or {})}}}
