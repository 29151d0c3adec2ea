"""Which gangs wait for a plan, and the basis of a decision about a gang."""

from lockstep.act.attempts import Attempts
from lockstep.belief.state import State
from lockstep.cycle.planning.decided import DecisionBasis, LastPlan
from lockstep.facts.gang.gang import AcceptedGang, GangFact


class Standing:
    """Says whether a gang waits, rests or keeps its place, according to the cache and its attempts."""

    def __init__(self, state: State, attempts: Attempts) -> None:
        self._state = state
        self._attempts = attempts

    def waits(self, gang: GangFact) -> bool:
        """Whether the gang waits for a plan and may start.

        A gang that changes its size does not wait, because its room is kept.
        """
        attempts = self._attempts
        if (
            attempts.is_under_way(gang.key)
            or attempts.has_lost_its_place(gang.key)
            or gang.key in self._state.counts.next_sizes
        ):
            return False
        return self._state.phase_of(gang, is_resting=attempts.is_resting(gang.key)).is_planned

    def retry_at(self, gang: GangFact, now: float) -> float:
        """The time of day from which on the gang may be tried again; 0 or a time in the past if it may be tried now."""
        return max(self._attempts.retry_at(gang.key), gang.restarts_at(now) or 0.0)

    def keeps_its_place(self, gang: GangFact) -> bool:
        """Whether the gang is being torn down and planned only so that gangs behind it do not take its nodes."""
        is_wanted = not (gang.is_deleting or gang.policies.is_suspended or gang.key in self._state.counts.next_sizes)
        return is_wanted and self._attempts.keeps_its_place(gang.key) and self._state.refusal_of(gang) is None

    def still_asks(self, gang: GangFact, decided: LastPlan) -> bool:
        """Whether the gang still waits, and its decision is still based on its present facts."""
        if not self.waits(gang):
            return False
        asked = self.basis_of(gang)
        return decided.asked.get(gang.key, asked) == asked

    def basis_of(self, gang: GangFact) -> DecisionBasis:
        """The basis that a decision about the gang would have now."""
        # Later pods are left out: the decision does not apply to them, and a quota may have removed them.
        roles = gang.spec.roles if isinstance(gang, AcceptedGang) else ()
        needs = tuple(role.needs for role in roles if not role.is_later)
        return DecisionBasis(gang.uid, gang.generation, needs, self._state.priorities.of(gang))
