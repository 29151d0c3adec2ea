"""Reads a recorded snapshot, and plans it again, with or without further gangs."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import orjson

from coschedule import (
    Decision,
    GangKey,
    InvalidValueError,
    Members,
    PendingGang,
    Placement,
    Plan,
    Reason,
    Snapshot,
    decode_plan,
    decode_snapshot,
    plan,
)
from lockstep.answers.plan.planned import AnsweredPlan
from lockstep.answers.plan.rules import PriceInForce
from lockstep.answers.reading.errors import AnswerError
from lockstep.answers.reading.gang_called import gang_called
from lockstep.answers.supposing.in_snapshot import suppose_alone
from lockstep.answers.supposing.supposed_gangs import Supposed
from lockstep.api.gangjob.gangjob import parse_gang
from lockstep.api.manifest import Manifest
from lockstep.api.quantities import rfc3339
from lockstep.api.unreadable.unreadable_objects import describe
from lockstep.belief.state import State
from lockstep.cycle.planning.plan_thread import choose_victims
from lockstep.facts.gang.gang import AcceptedGang, GangSpec, RefusedGang
from lockstep.facts.gang.keys import is_pod_gang
from lockstep.facts.sizing import Sizing
from lockstep.snapshot.snapshots import SnapshotCutter
from lockstep.snapshot.volumes.role_parts import without_parts
from lockstep.snapshot.wanted import PlanTerms

# The metadata that parsers need and that the API server would set.
_NEW = {"uid": "", "resourceVersion": "", "generation": 1}


class RecordedSnapshot(NamedTuple):
    """The content of ``/debug/snapshot``: facts, and the plan made from them."""

    snapshot: Snapshot
    plan: Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A gang for which this version's decision differs from the recorded one."""

    gang: GangKey
    recorded: Decision
    decided: Decision


def read_recorded(raw: bytes) -> RecordedSnapshot:
    """Read the content of the page ``/debug/snapshot``. Raises ``AnswerError``."""
    try:
        document = orjson.loads(raw)
        if not isinstance(document, dict) or not {"snapshot", "plan"} <= document.keys():
            raise AnswerError("It is not what /debug/snapshot shows: an object with a snapshot and a plan.")
        return RecordedSnapshot(decode_snapshot(document["snapshot"]), decode_plan(document["plan"]))
    except orjson.JSONDecodeError as error:
        raise AnswerError(f"It is not JSON: {error}.") from error
    except InvalidValueError as error:
        raise AnswerError(f"It is not what /debug/snapshot shows: {error}.") from error


def differences(recorded: RecordedSnapshot) -> tuple[Difference, ...]:
    """Plan again, and list the decisions that differ.

    The recorded plan may have left out gangs that were too far back in the queue. These gangs are not compared.
    """
    now = {one.gang: one for one in _planned(recorded.snapshot).preempting.plan.decisions}
    then = {one.gang: one for one in recorded.plan.decisions if _was_planned(one)}
    return tuple(
        Difference(gang=gang, recorded=then[gang], decided=now[gang])
        for gang in now
        if gang in then and _essence(then[gang]) != _essence(now[gang])
    )


def with_further(recorded: RecordedSnapshot, asked: Supposed) -> tuple[AnsweredPlan, Sequence[GangKey], Sequence[str]]:
    """Plan the snapshot with further gangs.

    Returns the plan, the keys of these gangs, and notes about facts that are unknown without a cluster. Raises
    ``AnswerError`` if a gang is in the snapshot already, or if it would not be planned.
    """
    snapshot, notes = recorded.snapshot, list[str]()
    further = [
        *(_parsed(one, snapshot.now) for one in asked.gang_jobs),
        *(suppose_alone(one, snapshot.now) for one in asked.gangs),
    ]
    for fact in further:
        if fact.key in {gang.key for gang in snapshot.gangs}:
            raise AnswerError(f"{gang_called(fact.key)} is in the snapshot already.")
        notes += _unknown(fact)
        snapshot = replace(snapshot, gangs=(*snapshot.gangs, _pending(fact, snapshot)))
    return _planned(snapshot), [fact.key for fact in further], tuple(dict.fromkeys((*notes, *asked.notes)))


def planned_before(recorded: RecordedSnapshot) -> AnsweredPlan:
    """Plan the snapshot without further gangs."""
    return _planned(recorded.snapshot)


def _planned(snapshot: Snapshot) -> AnsweredPlan:
    made = plan(snapshot)
    return AnsweredPlan(
        snapshot=snapshot,
        made=made,
        preempting=choose_victims(snapshot, made),
        prices={gang.key: PriceInForce(seconds=gang.member_price) for gang in snapshot.gangs},
        running=snapshot.running,
    )


def _was_planned(decision: Decision) -> bool:
    return isinstance(decision, Placement) or decision.reason is not Reason.BEHIND_IN_QUEUE


def _essence(decision: Decision) -> tuple[object, ...]:
    """The parts of a decision that are compared. The message is not compared."""
    if not isinstance(decision, Placement):
        return decision.reason, decision.hold
    return decision.size, decision.start, decision.finish, _places(decision.members)


def _places(members: Sequence[Members]) -> Counter[tuple[str, str]]:
    """The number of members by role and node; ranks do not count."""
    counts: Counter[tuple[str, str]] = Counter()
    for one in without_parts(tuple(members)):
        counts[one.role, one.node] += one.count
    return counts


def _parsed(manifest: Manifest, now: float) -> AcceptedGang:
    metadata = {**manifest["metadata"], **_NEW, "creationTimestamp": rfc3339(now)}
    try:
        fact = parse_gang({**manifest, "metadata": metadata}, None)
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        name, why = manifest["metadata"]["name"], describe(error)
        hint = "kubectl apply --dry-run=server says which field is wrong"
        raise AnswerError(f"GangJob {name} is invalid: {why}; {hint}.") from error
    if isinstance(fact, RefusedGang):
        raise AnswerError(f"{gang_called(fact.key)} would be refused: {fact.refusal.message}")
    return replace(fact, created=now)


def _unknown(fact: AcceptedGang) -> Iterator[str]:
    """Notes about facts that a gang depends on and that a snapshot lacks."""
    yield "The API server was not asked, so this plan lacks its defaults, rules and admission."
    spec = fact.spec
    if is_pod_gang(fact.key):
        yield "A snapshot lacks the operator's sources: this plan assumes the sources that the manifests need."
    if spec.priority_class:
        yield f"PriorityClass {spec.priority_class} is not in a snapshot: {fact.key.name} is planned at priority 0."
    if fact.unmet:
        yield f"Other gangs are not in a snapshot: {fact.key.name} is planned as if it waited for no gang."
    if spec.sizing is not None:
        yield f"Sizings of PriorityClasses are not in a snapshot: {fact.key.name} is planned with sizing {spec.sizing}."
    if any(role.claims for role in spec.roles):
        yield f"Volumes are not in a snapshot: {fact.key.name} is planned as if every node reached its volumes."
    if spec.minds_pods:
        yield f"Other pods are not in a snapshot: {fact.key.name} is planned without regard to them."


def _pending(fact: AcceptedGang, snapshot: Snapshot) -> PendingGang:
    """The gang as an input of the planner, with requests in the resource columns of the snapshot."""
    spec = fact.spec
    alone = replace(spec, priority_class="", roles=tuple(replace(role, claims=()) for role in spec.roles))
    terms = {fact.key: PlanTerms(member_price=_price(spec, snapshot), wants_fewest=_wants_fewest(spec, snapshot))}
    cut = SnapshotCutter(State(lambda: None)).cut(snapshot.now, [replace(fact, spec=alone)], terms=terms)
    [pending] = cut.gangs
    missing = sorted(set(cut.resources) - set(snapshot.resources))
    if missing:
        raise AnswerError(
            f"The snapshot does not know {', '.join(missing)}, since no gang requested them when it was recorded."
        )
    column = [cut.resources.index(name) if name in cut.resources else None for name in snapshot.resources]
    roles = (
        replace(role, request=tuple(0 if one is None else role.request[one] for one in column))
        for role in pending.roles
    )
    return replace(pending, roles=tuple(roles))


def _price(spec: GangSpec, snapshot: Snapshot) -> float:
    """The highest price of a member in the snapshot; 0 if the gang asks for another sizing than Balanced."""
    if spec.sizing not in (None, Sizing.BALANCED):
        return 0.0
    return max((gang.member_price for gang in snapshot.gangs), default=0.0)


def _wants_fewest(spec: GangSpec, snapshot: Snapshot) -> bool:
    """Whether the gang gets the fewest members.

    The gang's own sizing decides this. A gang without one gets the fewest members if any gang in the snapshot does.
    """
    if spec.sizing is not None:
        return spec.sizing is Sizing.FEWEST
    return any(gang.deadline == math.inf for gang in snapshot.gangs)
