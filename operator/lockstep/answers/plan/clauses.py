"""Formats changes and prices as clauses."""

from functools import singledispatch

from coschedule import (
    AffinityDropped,
    FewerMembers,
    GangEnds,
    GangLeaves,
    SelectorDropped,
    TaintTolerated,
    TermDropped,
    TermKind,
)
from lockstep.answers.plan.rules import PriceInForce
from lockstep.api.preemption import gang_name
from lockstep.facts.gang.status import WorkSource, WorkUsed
from lockstep.facts.sizing import Sizing
from lockstep.report.text.sentences import member_price, n_gangs, n_nodes, price


@singledispatch
def format_change(change: object) -> str:
    """Format a change as a clause after "if". Raises TypeError for an unknown change."""
    raise TypeError(change)


@format_change.register
def _ends(change: GangEnds) -> str:
    return f"{gang_name(change.gang.key)}, which runs, ended now"


@format_change.register
def _leaves(change: GangLeaves) -> str:
    return f"{gang_name(change.gang)}, which waits in front, were not there"


@format_change.register
def _fewer(change: FewerMembers) -> str:
    return f"fewer {change.role or 'members'} were enough"


@format_change.register
def _selector(change: SelectorDropped) -> str:
    return f"nodes without {change.key}={change.value} were allowed"


@format_change.register
def _affinity(_: AffinityDropped) -> str:
    return "nodes outside its affinity were allowed"


@format_change.register
def _taint(change: TaintTolerated) -> str:
    return f"its members tolerated the taint {change.taint.formatted}"


@format_change.register
def _term(change: TermDropped) -> str:
    how = "have one value" if change.term.kind is TermKind.TOGETHER else "have different values"
    return f"its members' nodes need not {how} of {change.term.topology_key}"


def format_price(in_force: PriceInForce) -> str:
    """Format the price of a member, and the values from which it is computed, as a clause."""
    policy, among = in_force.policy, in_force.among
    if policy is None or among is None:
        return f"{_cost(in_force)}, as when the snapshot was recorded"
    if policy.sizing is not Sizing.BALANCED:
        return f"other gangs do not count, since the sizing is {policy.sizing}"
    counts = f"{n_gangs(among.waiting)} waiting and {among.running} placed on {n_nodes(among.nodes)}"
    return f"{_cost(in_force)} (sizing Balanced, price factor {policy.factor:g}; {counts})"


def format_work_used(used: WorkUsed) -> str:
    """Format a sentence that says with which run times a gang is planned, and why."""
    by_law, stated = "follow the formula of earlier runs of its template", "are those that its spec states"
    which = by_law if used.source == WorkSource.LEARNED else stated
    return f"Its run times {which}: {used.message[:1].lower()}{used.message[1:]}"


def _cost(in_force: PriceInForce) -> str:
    if not in_force.seconds:
        return "members cost other gangs nothing"
    return member_price(price(in_force.seconds))
