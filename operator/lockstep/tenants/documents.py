"""Answers as objects of the API group, and the group's discovery documents. docs/for-tenants.md describes them."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, NamedTuple, assert_never

from coschedule import GangKey
from lockstep.answers.queue.on_nodes import OnNodes
from lockstep.answers.queue.queue import Queued
from lockstep.api.cluster.answers_service import ANSWERS_API, ANSWERS_GROUP, ANSWERS_VERSION
from lockstep.api.times import rfc3339
from lockstep.facts.gang.keys import is_pod_gang, object_name
from lockstep.tenants.explanation import Explanation, OwnPlan
from lockstep.tenants.history.recorder_client import FoundHistory
from lockstep.tenants.others import OtherGangs
from lockstep.tenants.supposing.coarse_plan import CoarsePlan, CoarseRun, Delayed
from lockstep.tenants.supposing.coarse_sweep import CoarseSweep

Document = Mapping[str, Any]

MOST_SHOWN = 1000
"""A queue shows at most this number of waiting gangs, and of gangs that hold nodes. It only counts all others."""

ONLY_ONE = "default"
"""The name of each namespace's only queue, timeline and history."""


class OwnQueue(NamedTuple):
    """The gangs of a namespace that the caller may see: gangs that hold nodes, and gangs that wait."""

    running: Sequence[OnNodes]
    waiting: Sequence[Queued]


class AnswerKind(StrEnum):
    """The resources of the API group, by their plural names."""

    QUEUES = "queues"
    GANGJOB_EXPLANATIONS = "gangjobexplanations"
    GANG_EXPLANATIONS = "gangexplanations"
    TIMELINES = "timelines"
    HISTORIES = "histories"
    PLANS = "plans"
    SWEEP_PLANS = "sweepplans"


KIND_NAMES: Mapping[AnswerKind, str] = {
    AnswerKind.QUEUES: "Queue",
    AnswerKind.GANGJOB_EXPLANATIONS: "GangJobExplanation",
    AnswerKind.GANG_EXPLANATIONS: "GangExplanation",
    AnswerKind.TIMELINES: "Timeline",
    AnswerKind.HISTORIES: "History",
    AnswerKind.PLANS: "Plan",
    AnswerKind.SWEEP_PLANS: "SweepPlan",
}
"""The kind of each resource."""


def queue_object(namespace: str, own: OwnQueue, others: OtherGangs, now: float, use_of_group: str = "") -> Document:
    """The queue of a namespace, with a sentence about the resources that its group has used, if it has a group."""
    return {
        **_head(AnswerKind.QUEUES, namespace, ONLY_ONE),
        "now": rfc3339(now),
        "others": _others(others),
        "useOfGroup": use_of_group or None,
        "running": [_running(one) for one in own.running[:MOST_SHOWN]],
        "runningLeftOut": max(0, len(own.running) - MOST_SHOWN),
        "gangs": [_queued(one) for one in own.waiting[:MOST_SHOWN]],
        "leftOut": max(0, len(own.waiting) - MOST_SHOWN),
    }


def explanation_object(answer: Explanation) -> Document:
    """The object with the explanation of a gang."""
    kind = AnswerKind.GANG_EXPLANATIONS if is_pod_gang(answer.gang) else AnswerKind.GANGJOB_EXPLANATIONS
    return {
        **_head(kind, answer.gang.namespace, object_name(answer.gang)),
        "now": rfc3339(answer.now),
        "phase": answer.phase.value,
        "size": answer.size,
        "start": _time(answer.start),
        "finish": _time(answer.finish),
        "others": _others(answer.others),
        "useOfGroup": answer.use_of_group or None,
        "plan": None if answer.plan is None else _plan(answer.plan),
    }


def timeline_object(namespace: str, picture: Document, others: OtherGangs, now: float) -> Document:
    """The timeline of a namespace; ``picture`` is the JSON that the timeline page draws."""
    head = _head(AnswerKind.TIMELINES, namespace, ONLY_ONE)
    return {**head, "now": rfc3339(now), "others": _others(others), "picture": picture}


def history_object(namespace: str, found: FoundHistory) -> Document:
    """The object with the records of a namespace."""
    return {
        **_head(AnswerKind.HISTORIES, namespace, ONLY_ONE),
        "now": rfc3339(found.now),
        "notes": found.notes,
        "rows": found.rows,
        "isCutOff": found.is_cut_off,
    }


def groups() -> Document:
    """The discovery document at ``/apis``."""
    return {"kind": "APIGroupList", "apiVersion": "v1", "groups": [group()]}


def group() -> Document:
    """The discovery document of the group."""
    version = {"groupVersion": ANSWERS_API, "version": ANSWERS_VERSION}
    names = {"kind": "APIGroup", "apiVersion": "v1", "name": ANSWERS_GROUP}
    return {**names, "versions": [version], "preferredVersion": version}


def resources() -> Document:
    """The discovery document of the version. Clients can only create plans, and can get other objects only by name."""
    return {
        "kind": "APIResourceList",
        "apiVersion": "v1",
        "groupVersion": ANSWERS_API,
        "resources": [
            {"name": kind, "singularName": name.lower(), "namespaced": True, "kind": name, "verbs": [verb_of(kind)]}
            for kind, name in KIND_NAMES.items()
        ],
    }


def verb_of(kind: AnswerKind) -> str:
    """The only verb of a resource."""
    match kind:
        case AnswerKind.PLANS | AnswerKind.SWEEP_PLANS:
            return "create"
        case (
            AnswerKind.QUEUES
            | AnswerKind.GANGJOB_EXPLANATIONS
            | AnswerKind.GANG_EXPLANATIONS
            | AnswerKind.TIMELINES
            | AnswerKind.HISTORIES
        ):
            return "get"
        case _:
            assert_never(kind)


def plan_object(answer: CoarsePlan, others: OtherGangs, now: float) -> Document:
    """The object with the plan for a supposed GangJob."""
    return {
        **_head(AnswerKind.PLANS, answer.gang.namespace, answer.gang.name),
        "now": rfc3339(now),
        "others": _others(others),
        "plan": {
            "reason": answer.reason,
            "message": answer.why_not,
            "run": None if answer.run is None else _coarse_run(answer.run),
            "sizes": [_coarse_run(one) for one in answer.sizes],
            "notNow": list(answer.not_now),
            "ahead": answer.ahead._asdict(),
            "evicts": answer.evicts,
            "shrinks": answer.shrinks,
            "delays": _delays(answer.delays),
        },
    }


def sweep_plan_object(answer: CoarseSweep, others: OtherGangs, now: float) -> Document:
    """The object with the plan for a supposed GangSweep."""
    return {
        **_head(AnswerKind.SWEEP_PLANS, answer.namespace, answer.name),
        "now": rfc3339(now),
        "others": _others(others),
        "plan": {
            "runs": answer.runs,
            "members": answer.members,
            "sideBySide": answer.side_by_side,
            "message": f"{answer.why} {answer.bounded_by}",
            "planned": answer.planned,
            "startNow": answer.starting_now,
            "startsWithinMinutes": answer.starts,
            "endsWithinMinutes": answer.ends,
            "ahead": answer.ahead._asdict(),
            "delays": _delays(answer.delays),
        },
    }


def _delays(delays: Sequence[Delayed]) -> Sequence[Document]:
    return [{"name": one.name, "withinMinutes": one.minutes} for one in delays]


def _coarse_run(run: CoarseRun) -> Document:
    return {"size": run.size, "startsWithinMinutes": run.starts, "endsWithinMinutes": run.ends}


def _head(kind: AnswerKind, namespace: str, name: str) -> Document:
    return {"kind": KIND_NAMES[kind], "apiVersion": ANSWERS_API, "metadata": {"namespace": namespace, "name": name}}


def _queued(one: Queued) -> Document:
    # ``behind`` is not shown, since it may name other gangs for which this gang waits.
    return {
        **_named(one.gang),
        "position": one.position,
        "size": one.size,
        "start": _time(one.start),
        "latestStart": _time(one.latest),
    }


def _running(one: OnNodes) -> Document:
    return {
        **_named(one.gang),
        "state": str(one.state),
        "size": one.size,
        "nodes": one.nodes,
        "since": rfc3339(one.since),
        "expectedFinish": _time(one.finish),
    }


def _named(gang: GangKey) -> Document:
    return {"kind": "Gang" if is_pod_gang(gang) else "GangJob", "name": object_name(gang)}


def _others(others: OtherGangs) -> Document:
    return {
        "waiting": others.waiting,
        "running": others.running,
        "members": others.members,
        "freed": [{"withinMinutes": one.within_minutes, "nodes": one.nodes} for one in others.freed],
        "lasting": others.lasting,
    }


def _plan(plan: OwnPlan) -> Document:
    return {
        "reason": plan.reason,
        "message": plan.why,
        "size": plan.size,
        "start": _time(plan.start),
        "finish": _time(plan.finish),
        "promisedStart": _time(plan.promised),
        "ahead": plan.ahead._asdict(),
        "evicts": plan.evicts,
        "shrinks": plan.shrinks,
        "sizes": [{"size": one.size, "start": _time(one.start), "finish": _time(one.finish)} for one in plan.sizes],
        "notNow": list(plan.not_now),
        "tried": plan.tried,
        "sooner": [{"if": one.change, "size": one.size, "withinMinutes": one.within_minutes} for one in plan.helps],
    }


def _time(seconds: float | None) -> str | None:
    return None if seconds is None else rfc3339(seconds)
