"""Parses any pod: a member of a GangJob, a pod of a Gang, or another pod."""

from collections.abc import Collection
from dataclasses import replace

from lockstep.api.manifest import Manifest
from lockstep.api.podgang.group_member import group_member
from lockstep.api.pods.pod import parse_pod
from lockstep.api.pods.pod_request import pod_request
from lockstep.facts.gang.pod_gang import grouped
from lockstep.facts.gang.source import Source
from lockstep.facts.pods.pod import PodFact


def parse_any_pod(manifest: Manifest, sources: Collection[Source] = ()) -> PodFact:
    """Parse any pod. If one of ``sources`` names its Gang, the pod takes a slot of its node, as members do."""
    pod = parse_pod(manifest)
    group = group_member(manifest, sources) if pod.member is None else None
    if group is None:
        return pod
    request = pod_request(manifest["spec"], manifest.get("status") or {}, is_member=True)
    return grouped(replace(pod, request=request), group)
