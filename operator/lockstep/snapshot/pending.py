"""A waiting gang as the planner needs it."""

import math
from dataclasses import replace

from coschedule import Constraints, PendingGang, Role
from lockstep.belief.gangs.age import in_queue_since
from lockstep.belief.run_times.remaining_work import remaining_work
from lockstep.belief.state import State
from lockstep.snapshot.affinity.affinity import Surroundings
from lockstep.snapshot.constraints import constraints_of
from lockstep.snapshot.holders.awaited_ends import awaited_end
from lockstep.snapshot.kept_plan import kept_plan, promised_start
from lockstep.snapshot.nodes.node_arrays import NodeArrays
from lockstep.snapshot.nodes.resource_columns import Columns
from lockstep.snapshot.submission import requested_at
from lockstep.snapshot.volumes.role_parts import terms_of_parts
from lockstep.snapshot.wanted import WantedGang, WantedPart


def pending_gang(
    state: State, wanted: WantedGang, around: Surroundings, nodes: NodeArrays, columns: Columns, now: float
) -> PendingGang:
    """The gang for a plan on these nodes. The pods ``around`` constrain its nodes; ``columns`` name the amounts."""
    gang, spec, terms = wanted.gang, wanted.spec, wanted.terms
    awaited = awaited_end(state, gang.key, now)
    roles = _roles(state, wanted, around, columns)
    learned = state.past_runs.in_force(gang)
    work = remaining_work(gang, learned)
    return PendingGang(
        key=gang.key,
        priority=wanted.priority,
        created=gang.created,
        requested=requested_at(gang, now),
        queued_since=in_queue_since(gang, now),
        roles=roles,
        work=work,
        deadline=math.inf if gang.deadline is None and terms.wants_fewest else gang.deadline,
        member_price=terms.member_price,
        not_before=terms.not_before,
        promised=promised_start(gang),
        kept=None if terms.is_remembered else kept_plan(gang, roles, nodes, work, learned),
        may_hold=terms.may_hold,
        terms=terms_of_parts(around.terms(), [role.name for role in roles]),
        held=tuple(nodes.index[node] for node in terms.held) if nodes.index.keys() >= set(terms.held) else (),
        may_preempt=terms.may_preempt,
        awaits=-math.inf if awaited is None else awaited,
        interruptible=spec.interruptible,
        checkpoint_interval=spec.checkpoint_interval,
        factors=nodes.kinds.factors(learned) if work is not None else (),
    )


def _roles(state: State, wanted: WantedGang, around: Surroundings, columns: Columns) -> tuple[Role, ...]:
    gang, spec = wanted.gang, wanted.spec
    constraints = {role.name: constraints_of(state, gang, role, around) for role in spec.roles}
    dealt_later = spec.dealing is not None
    return tuple(_role(one, constraints[one.role.name], columns, dealt_later=dealt_later) for one in wanted.parts)


def _role(wanted: WantedPart, constraints: Constraints, columns: Columns, *, dealt_later: bool) -> Role:
    role, part, request = wanted
    barred = part.demand.barred
    return Role(
        name=part.name,
        sizes=part.sizes,
        request=columns.asked(request),
        constraints=replace(constraints, barred=(*constraints.barred, *barred)) if barred else constraints,
        load=role.load,
        pieces=role.pieces,
        piece_weight=role.piece_weight,
        dealt_later=dealt_later,
    )
