"""Decides how objects that can't be parsed count: always so that no pod is bound to a node where it might not fit.

Only the metadata must be valid, which the API server guarantees. Other fields may have any content.
"""

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import TypeVar, assert_never

from coschedule import GangKey
from lockstep.api.client.answer import ApiUnavailableError
from lockstep.api.gangjob.gangjob import parse_status
from lockstep.api.gangjob.policies import parse_policies
from lockstep.api.identity import created_by, identity, queue_of
from lockstep.api.labels import are_unread, labels_of
from lockstep.api.manifest import Manifest
from lockstep.api.membership import membership
from lockstep.api.nodebid.bid import bid_condition
from lockstep.api.nodebid.bid_status import parse_bid_plan, parse_owner_back, parse_report
from lockstep.api.podgang.any_pod import parse_any_pod
from lockstep.api.sweeps.run_marks import parse_run
from lockstep.facts.cluster.node import BidFact, NodeFact
from lockstep.facts.gang.gang import Refusal, RefusedGang
from lockstep.facts.gang.keys import pod_gang_key
from lockstep.facts.gang.pod_gang import PodGang
from lockstep.facts.gang.policies import Policies
from lockstep.facts.gang.source import Source
from lockstep.facts.gang.status import GangStatus
from lockstep.facts.pods.pod import LARGEST_AMOUNT, PodFact, PodKey, PodPhase
from lockstep.facts.pods.pod_outcome import PodOutcome
from lockstep.facts.reasons import Reason

# What an unreadable pod takes: all pods that its node may have. Every member takes one of these, so none fits there.
_FILLS_ITS_NODE = (("pods", LARGEST_AMOUNT),)
_PHASES = frozenset(PodPhase)

_Part = TypeVar("_Part")


def unreadable_node(manifest: Manifest, _: Exception) -> NodeFact:
    """A node that takes no members. It is in the cache, because pods on an unknown node would count as lost."""
    return NodeFact(
        name=manifest["metadata"]["name"],
        labels={},
        taints=(),
        allocatable=(),
        is_ready=False,
        is_unschedulable=True,
    )


def unreadable_pod(manifest: Manifest, _: Exception, sources: Collection[Source] = ()) -> PodFact:
    """The fact for a pod that can't be parsed.

    If only its phase is invalid, the pod is parsed as one that has not ended, as in :func:`read_pod`. Otherwise it
    fills its node until it ends.
    """
    phase = (manifest.get("status") or {}).get("phase")
    if phase not in _PHASES:
        status = {**(manifest.get("status") or {}), "phase": PodPhase.UNKNOWN}
        return read_pod({**manifest, "status": status}, sources)
    metadata, node = manifest["metadata"], (manifest.get("spec") or {}).get("nodeName")
    is_deleting, member = "deletionTimestamp" in metadata, membership(metadata)
    return PodFact(
        key=PodKey(metadata["namespace"], metadata["name"]),
        uid=metadata["uid"],
        node=node if isinstance(node, str) else "",
        phase=PodPhase(phase),
        request=_FILLS_ITS_NODE,
        member=member,
        is_deleting=is_deleting,
        outcome=PodOutcome.GOING if member is None else _unreadable_outcome(PodPhase(phase), is_deleting=is_deleting),
        ended_because="its status can't be understood",
        lasting=True,
        labels=labels_of(metadata),
        has_unread_labels=are_unread(metadata),
    )


def _unreadable_outcome(phase: PodPhase, *, is_deleting: bool) -> PodOutcome:
    """The outcome of a member whose containers are unknown.

    If it is being deleted, it counts as not ended by itself.
    """
    if is_deleting:
        return PodOutcome.DELETED
    match phase:
        case PodPhase.SUCCEEDED:
            return PodOutcome.SUCCEEDED
        case PodPhase.FAILED:
            return PodOutcome.FAILED
        case PodPhase.PENDING | PodPhase.RUNNING | PodPhase.UNKNOWN:
            return PodOutcome.GOING
        case _:
            assert_never(phase)


def read_pod(manifest: Manifest, sources: Collection[Source] = ()) -> PodFact:
    """The parsed pod, or the fact for it if parsing fails. ``sources`` may name the Gang to which it belongs."""
    try:
        return parse_any_pod(manifest, sources)
    except Exception as problem:  # noqa: BLE001 - the API server accepts any content
        return unreadable_pod(manifest, problem, sources)


def unreadable_bid(manifest: Manifest, problem: Exception) -> BidFact:
    """A bid that offers no slots."""
    metadata = manifest["metadata"]
    return BidFact(
        node=metadata["name"],
        resource_version=metadata["resourceVersion"],
        slowdown=1.0,
        available_from=None,
        available_until=None,
        slots=0,
        expires_at=None,
        generation=metadata.get("generation", 0),
        problem=describe(problem),
        reported=bid_condition(manifest),
        report=parse_report(manifest),
        planned=parse_bid_plan(manifest),
        owner_back_since=parse_owner_back(manifest),
    )


def unreadable_gang(manifest: Manifest, problem: Exception) -> RefusedGang:
    """A gang that is refused, so it is never planned. It may run or have ended: its status and policies still count."""
    metadata = manifest["metadata"]
    policies = _parsed_or(Policies(), parse_policies, manifest.get("spec"))
    return RefusedGang(
        **identity(GangKey(metadata["namespace"], metadata["name"]), metadata),
        refusal=Refusal(Reason.INVALID_SPEC, f"The GangJob can't be understood: {describe(problem)}."),
        policies=replace(policies, queue=queue_of(metadata)),
        status=_parsed_or(GangStatus(), parse_status, manifest.get("status")),
        run=parse_run(metadata),
        user=created_by(metadata),
    )


def unreadable_pod_gang(manifest: Manifest, problem: Exception) -> PodGang:
    """A Gang that is refused, so it is never planned. Pods of it may run: its status still counts."""
    metadata = manifest["metadata"]
    return PodGang(
        **identity(pod_gang_key(metadata["namespace"], metadata["name"]), metadata),
        asks=Refusal(Reason.INVALID_SPEC, f"The Gang can't be understood: {describe(problem)}."),
        status=_parsed_or(GangStatus(), parse_status, manifest.get("status")),
    )


def _parsed_or(default: _Part, parse: Callable[[Manifest], _Part], part: Manifest | None) -> _Part:
    """A part of an object that can't be understood as a whole; the default if that part can't be understood either."""
    try:
        return parse(part or {})
    except Exception:  # noqa: BLE001 - the API server accepts any content
        return default


def describe(problem: Exception) -> str:
    """A phrase about an exception: our own sentence as it is, or the type and message of another exception."""
    is_ours = type(problem) in (ValueError, ApiUnavailableError)
    return str(problem) if is_ours else f"{type(problem).__name__} {problem}".rstrip()
