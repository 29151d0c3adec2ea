"""Assigns ranks to nodes by their volumes. A plan only counts members by node and may divide roles into parts."""

from dataclasses import replace

from coschedule import Decision, OfRole, Unplaceable
from lockstep.belief.state import State
from lockstep.belief.volumes.kept_volumes import kept_places
from lockstep.facts.gang.gang import AcceptedGang, GangFact
from lockstep.report.text.refusal_sentences import VolumesElsewhere
from lockstep.snapshot.volumes.rank_order import ordered_by_rank
from lockstep.snapshot.volumes.role_parts import whole_role, without_parts


def in_rank_order(state: State, gang: GangFact, decision: Decision) -> Decision:
    """The decision with members in rank order and roles undivided; unchanged for gangs without claim templates."""
    if not isinstance(gang, AcceptedGang) or not any(role.claim_templates for role in gang.spec.roles):
        return decision
    if isinstance(decision, Unplaceable):
        return _of_whole_role(decision)
    members = ordered_by_rank(without_parts(decision.members), kept_places(state.claims, gang))
    if members is None:
        return Unplaceable(gang=gang.key, refusal=VolumesElsewhere(size=decision.size))
    return replace(decision, members=members)


def _of_whole_role(decision: Unplaceable) -> Unplaceable:
    """The refusal with the name of the role as in the spec."""
    refusal = decision.refusal
    if not isinstance(refusal, OfRole):
        return decision
    role = whole_role(refusal.role)
    return replace(decision, refusal=replace(refusal, role=role) if role else refusal.refusal)
