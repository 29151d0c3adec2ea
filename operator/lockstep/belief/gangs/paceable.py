"""Whether the templates of a gang allow the pace that the gang wants."""

from lockstep.facts.gang.gang import AcceptedGang, Refusal
from lockstep.facts.reasons import Reason


def pace_refusal(gang: AcceptedGang) -> Refusal | None:
    """Why members can't request less than their limits; None if they can, or need not."""
    if not gang.spec.pace.keeps_limits:
        return None
    fixed = [role.path for role in gang.spec.roles if role.is_guaranteed and role.load.is_work]
    if not fixed:
        return None
    return Refusal(
        Reason.UNSUPPORTED_FIELD,
        f"pace: Share can't lower the requests of pods of the class Guaranteed. {fixed[0]} makes such pods: each "
        "container requests its limits of cpu and memory. Request less than a limit, or write pace: Local.",
    )
