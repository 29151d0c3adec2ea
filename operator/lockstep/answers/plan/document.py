"""Formats answers as JSON with stable names. docs/why.md documents every field."""

import math
from collections.abc import Mapping
from typing import Any

from coschedule import Decision, Members, Placement, RoomNow, SizeChange, SpeedGroup, encode_part
from lockstep.answers.plan.clauses import format_change
from lockstep.answers.plan.rules import PriceInForce
from lockstep.answers.plan.unplanned_gangs import UnplannedAnswer
from lockstep.answers.plan.waiting import Helped, SizeRow, WaitingAnswer
from lockstep.api.quantities import rfc3339
from lockstep.cycle.planning.sizing import Contention
from lockstep.facts.gang.status import WorkUsed
from lockstep.report.text.placement_sentences import chosen
from lockstep.report.text.refusal_sentences import format_refusal
from lockstep.report.text.sentences import as_sentence

Document = Mapping[str, Any]


def unplanned_document(answer: UnplannedAnswer) -> Document:
    """The answer about a gang that does not wait for a plan."""
    return {
        "gang": answer.gang._asdict(),
        "phase": answer.phase,
        "message": answer.message,
        "why": answer.why,
        "size": answer.size,
        "start": _time(answer.start),
        "finish": _time(answer.finish),
        "memberPrice": answer.member_price,
        "members": [_members(one) for one in answer.members],
        "workUsed": _work_used(answer.work_used),
        "whyThisSize": answer.why_this_size,
        "likelyStart": None if answer.likely is None else _time(answer.likely.likely_start),
    }


def waiting_document(answer: WaitingAnswer) -> Document:
    """The answer about a waiting gang."""
    return {
        "gang": answer.gang._asdict(),
        "phase": "Waiting",
        "now": rfc3339(answer.now),
        **decision_document(answer.decision, answer.now),
        "latestNode": answer.latest,
        "latestNodeOf": None if answer.latest_of is None else answer.latest_of._asdict(),
        "preempts": [victim._asdict() for victim in answer.victims],
        "shrinks": [_change(one) for one in answer.shrinks],
        "position": answer.position,
        "queued": answer.queued,
        "notBefore": _time(answer.not_before),
        "deadline": _time(answer.deadline),
        "price": _price(answer.price),
        "sizes": [_size(row, answer) for row in answer.sizes],
        "nodesBySpeed": [_speed(group) for group in answer.speeds],
        "notNow": [] if answer.starts_now else [_room(room) for room in answer.room],
        "tried": answer.tried,
        "sooner": [_help(one, answer.now) for one in answer.helps],
        "workUsed": _work_used(answer.work_used),
        "nodesRequested": answer.nodes_requested or None,
        "useOfGroup": answer.use_of_group or None,
        "sizeChanges": [_change(one) for one in answer.changes],
    }


def decision_document(decision: Decision, now: float) -> dict[str, Any]:
    """A plan's decision about a gang."""
    if not isinstance(decision, Placement):
        return {"reason": decision.reason, "message": as_sentence(format_refusal(decision.refusal)), "size": None}
    return {
        "reason": "StartsNow" if decision.start <= now else "StartsLater",
        "message": as_sentence(chosen(decision, now=now)),
        "size": decision.size,
        "start": _time(decision.start),
        "finish": _time(decision.finish),
        "promisedStart": _time(decision.promised),
        "members": [_members(one) for one in decision.members],
        "latestNode": decision.latest,
        "slowestNode": decision.slowest,
    }


def _change(change: SizeChange) -> Document:
    sooner = None if change.is_open_ended else _finite(change.end_before - change.end)
    return {
        "gang": change.gang._asdict(),
        "was": change.size_before,
        "size": change.size_after,
        "endsSoonerSeconds": sooner,
    }


def _work_used(used: WorkUsed | None) -> Document | None:
    return None if used is None else used._asdict()


def _members(members: Members) -> Document:
    return {"role": members.role, "node": members.node, "count": members.count, **encode_part(members.part)}


def _price(price: PriceInForce) -> Document:
    policy, among = price.policy, price.among
    return {
        "memberSeconds": price.seconds,
        "sizing": None if policy is None else policy.sizing,
        "factor": None if policy is None else policy.factor,
        **dict.fromkeys(Contention._fields),
        **({} if among is None else among._asdict()),
    }


def _size(row: SizeRow, answer: WaitingAnswer) -> Document:
    run, decision = row.run, answer.decision
    return {
        "size": row.size,
        "isChosen": isinstance(decision, Placement) and decision.size == row.size,
        "startsInSeconds": None if run is None else run.start - answer.now,
        "endsInSeconds": None if run is None else _finite(run.finish - answer.now),
        "countsSeconds": None if run is None else _finite(run.value - answer.now),
    }


def _speed(group: SpeedGroup) -> Document:
    return {
        "role": group.role,
        "slowdown": group.slowdown,
        "passing": group.passing,
        "withRoom": group.with_room,
        "used": group.used,
    }


def _room(room: RoomNow) -> Document:
    return {
        "role": room.role,
        "nodes": room.nodes,
        "needed": room.needed,
        "failing": [{"what": phrase, "nodes": count} for phrase, count in room.failures],
        "withRoom": room.with_room,
        "slots": room.slots,
    }


def _help(helped: Helped, now: float) -> Document:
    then = helped.placement
    return {
        "if": format_change(helped.change),
        "kind": type(helped.change).__name__,
        "size": then.size,
        "startsInSeconds": then.start - now,
        "endsInSeconds": _finite(then.finish - now),
        "nodes": sorted({members.node for members in then.members}),
    }


def _time(seconds: float | None) -> str | None:
    return None if seconds is None or math.isinf(seconds) else rfc3339(seconds)


def _finite(seconds: float) -> float | None:
    return seconds if math.isfinite(seconds) else None
