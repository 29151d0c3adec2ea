"""Adds to a PodGroup of Kubernetes what its Job asks for: users write Jobs, and no PodGroups."""

from collections.abc import Collection
from typing import Any

from lockstep.api.client.answer import exists
from lockstep.api.client.client import KubeClient
from lockstep.api.manifest import Manifest
from lockstep.api.podgang.owners import OWNERS
from lockstep.api.podgang.scheduling_group import PODS_IN_ALL
from lockstep.api.podgang.section import Section
from lockstep.api.podgang.single_pods import controller_of
from lockstep.facts.gang.source import Source


async def as_its_job_wants(
    client: KubeClient, sources: Collection[Source], group: Manifest, *, succeeded: int = 0
) -> Manifest:
    """The group with the annotations and the number of pods of the Job that controls it, if Jobs are a source.

    The group's own annotations win. From Kubernetes 1.37 on, the group's policy is ``basic`` if the Job has no policy.
    Then the returned group requires that its pods are placed together, like those of a Job without a group.
    ``succeeded`` is how many pods of the group have succeeded. Raises ``ApiUnavailableError``.
    """
    metadata, kind = group["metadata"], OWNERS[Source.JOB]
    controller = controller_of(metadata)
    is_of_job = (controller.get("apiVersion"), controller.get("kind")) == (kind.api_version, kind.kind)
    if not is_of_job or Source.JOB not in sources:
        return group
    answer = await client.get(kind.target(metadata["namespace"], controller["name"]))
    if not exists(answer, f"{kind.kind} {controller['name']}") or answer.body["metadata"]["uid"] != controller["uid"]:
        return group
    of_job = answer.body["metadata"].get("annotations") or {}
    annotations = {**of_job, **(metadata.get("annotations") or {})}
    about = {"schedulingPolicy": _policy(group, answer.body, succeeded), PODS_IN_ALL: kind.in_all(Section(answer.body))}
    return {**group, "metadata": {**metadata, "annotations": annotations}, "spec": {**group["spec"], **about}}


def _policy(group: Manifest, job: Manifest, succeeded: int) -> Any:
    """The policy of the group.

    If it is not ``gang`` and the Job has none, ``minCount`` is the number of pods that the Job creates at once. It is
    at most the completions that the Job has left, plus the pods of the group that have ``succeeded``.
    """
    policy, kind = group["spec"]["schedulingPolicy"], OWNERS[Source.JOB]
    if policy.get("gang") is not None or (job["spec"].get("scheduling") or {}).get("schedulingPolicy"):
        return policy
    return {"gang": {"minCount": max(min(kind.expected(job), kind.left(job) + succeeded), 1)}}
