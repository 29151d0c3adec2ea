"""Explains why an elastic gang that runs keeps its size, or to which size it changes."""

import math
from dataclasses import replace

from coschedule import ElasticRun, OpenEndedRun, SizedRun, Snapshot
from lockstep.answers.plan.planned import AnsweredPlan, plan_now
from lockstep.answers.plan.rules import PlanRules
from lockstep.answers.plan.unplanned_gangs import UnplannedAnswer, answer_unplanned
from lockstep.api.quantities import rfc3339
from lockstep.belief.holding.reservation import Reservation
from lockstep.belief.state import State
from lockstep.facts.gang.gang import AcceptedGang, GangFact
from lockstep.facts.gang.status import GangStatus
from lockstep.report.text.sentences import as_sentence, duration, n_members, n_nodes
from lockstep.report.text.size_sentences import KEEPS_SIZE, change_ahead, size_change
from lockstep.snapshot.holders.resizable import KeepsSize, Resizable, resizable
from lockstep.snapshot.nodes.node_arrays import node_arrays
from lockstep.snapshot.nodes.resource_columns import Columns

_NO_OTHER = "its profile, a quota, the pieces that are left, or gangs of other priorities allow no other size now"


def answer_with_size(state: State, rules: PlanRules, gang: GangFact, now: float) -> UnplannedAnswer:
    """The answer about a gang that does not wait. For an elastic gang it also explains the size."""
    return replace(answer_unplanned(state, gang), why_this_size=why_this_size(state, rules, gang, now))


def why_this_size(state: State, rules: PlanRules, gang: GangFact, now: float) -> str | None:
    """A sentence that explains the size of a running elastic gang.

    It is None if the gang is not elastic, if it holds no nodes, or if its attempt is ending.
    """
    if not isinstance(gang, AcceptedGang):
        return None
    reservation, elastic, terms = state.reservations.get(gang.key), gang.spec.elastic, state.change_times.terms(gang)
    if reservation is None or elastic is None or terms is None or gang.status.is_being_undone:
        return None
    under_way = _under_way(gang.status, reservation)
    if under_way:
        return as_sentence(under_way)
    planned = plan_now(state, rules, now, asked=())
    change = next((one for one in planned.changes if one.gang == gang.key), None)
    if change is not None:
        why = size_change(change, restart_time=terms.restart_time, lost=terms.lost, is_asked=elastic.size is not None)
        return as_sentence(f"with the next plan it {why}")
    columns = Columns(planned.snapshot.resources, {})
    found = resizable(state, gang, reservation, node_arrays(state), columns, planned.snapshot.now)
    run = next((one for one in planned.runs if one.key == gang.key), None)
    if run is not None and isinstance(found, Resizable):
        return as_sentence(_others_first(run, planned) or _why_kept(run, planned.snapshot))
    return as_sentence(f"it keeps its size: {KEEPS_SIZE[_reason(found)]}")


def _under_way(status: GangStatus, reservation: Reservation) -> str:
    """A clause that says how the gang's size is changing now; '' if it is not."""
    if status.noticed_size is not None:
        return f"it {change_ahead(reservation.size, status.noticed_size)}"
    if status.joining_size is not None:
        return f"it {status.joining_size.why}; its new members do not all run yet"
    return ""


def _reason(found: Resizable | KeepsSize) -> KeepsSize:
    return KeepsSize.NOT_COMPARABLE if isinstance(found, Resizable) else found


def _others_first(run: SizedRun, planned: AnsweredPlan) -> str:
    """A clause that says that other gangs change their sizes before this gang; '' if no clause is needed.

    The clause is needed if this plan changes gangs, and if all of their members have other requirements than the
    members of this gang.
    """
    changing = {change.gang for change in planned.changes}
    kinds = {one.seat for one in planned.runs if one.key in changing}
    if not kinds or run.seat in kinds:
        return ""
    return "it keeps its size in the next plan: gangs whose members have other requirements change their sizes first"


def _why_kept(run: SizedRun, snapshot: Snapshot) -> str:
    if run.may_change_at > snapshot.now:
        return f"it keeps its size until {rfc3339(run.may_change_at)}, since it changed its size recently"
    if run.asked is not None:
        return _asked(run, run.asked)
    if run.meets_its_deadline:
        return _by_deadline(run)
    if isinstance(run, ElasticRun):
        return _with_end(run, snapshot)
    assert isinstance(run, OpenEndedRun), "its end is known or unknown"
    return _without_end(run)


def _without_end(run: OpenEndedRun) -> str:
    """A clause that says why a gang of unknown end does not grow, and how far it may shrink for other gangs."""
    size, least = run.size + run.fixed_size, run.least + run.fixed_size
    if run.is_measured:
        return _measured(run)
    if run.size == run.sizes.maximum:
        return f"it keeps its size: its end is unknown, and it may have at most {n_members(size)} now"
    back = f"; it gives members back to gangs that wait, down to {n_members(least)}" if least < size else ""
    needs = (
        f"it grows only onto idle nodes that no gang waits for, and only if they make it {run.least_growth} times as "
        "fast"
    )
    return f"its end is unknown: {needs}{back}"


def _measured(run: OpenEndedRun) -> str:
    """A clause that says how the sizes of a gang of unknown end are compared."""
    sizes = "its size" if len(run.unit_times) == 1 else f"{len(run.unit_times)} of its sizes"
    known = f"its end is unknown, and its speed is known at {sizes}, by the progress that it reported"
    gives = "if gangs wait, it gives up all nodes but an equal share"
    gains = "a change of size costs a gang 10 % of its speed, and no other division of the nodes gains more"
    return f"{known}; {gains}; {gives}"


def _with_end(run: ElasticRun, snapshot: Snapshot) -> str:
    left = run.end - snapshot.now
    if left < run.least_rest:
        least = f"and gangs change their size only if at least {duration(run.least_rest)} are left"
        return f"it keeps its size: it is expected to run for {duration(max(left, 0.0))} more, {least}"
    if not run.sizes.vary:
        return f"it keeps its size: {_NO_OTHER}"
    fewest, most = run.sizes.least + run.fixed_size, run.sizes.maximum + run.fixed_size
    sizes = f"no other size that it may have, from {fewest} to {most}, is better for all gangs together"
    return f"it keeps its size: in the room that is free, {sizes}{_left_to_short(snapshot)}"


def _left_to_short(snapshot: Snapshot) -> str:
    """A clause about the nodes that have room for short gangs only; '' if there are none."""
    nodes = {one.node for one in snapshot.left_idle}
    return f"; room on {n_nodes(len(nodes))} is left to gangs that run for 15 minutes or less" if nodes else ""


def _by_deadline(run: SizedRun) -> str:
    if run.deadline == math.inf:
        return "it keeps its size: its sizing is Fewest, so it no longer grows"
    assert run.deadline is not None, "it has a deadline"
    is_guess = "" if isinstance(run, ElasticRun) else ", as far as that is known"
    return f"it keeps its size: it ends by its deadline, {rfc3339(run.deadline)}{is_guess}, so it no longer grows"


def _asked(run: SizedRun, asked: int) -> str:
    if asked == run.size:
        return "it keeps the size that elastic.size asks for"
    size = n_members(asked + run.fixed_size)
    if not run.sizes.has(asked):
        return f"its elastic.size asks for {size}, but it keeps its size: {_NO_OTHER}"
    return f"it changes to {size}, as elastic.size asks, as soon as there are free nodes that help no other gang"
