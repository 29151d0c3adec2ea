"""Why a gang can't use its claims as things are: it waits, accepted again as soon as somebody has mended that."""

from lockstep.api.claims import kept_claim
from lockstep.belief.claims import Claims
from lockstep.facts.gang import GangFact, GangSpec, Refusal
from lockstep.facts.reasons import Reason
from lockstep.facts.volume import ClaimFact, ClaimKey, ClaimUse, Sharing

# Modes in which members on several nodes, or several members, can use one volume.
_SHARED_MODES = frozenset({"ReadWriteMany", "ReadOnlyMany"})


def claim_refusal(claims: Claims, gang: GangFact) -> Refusal | None:
    """Why the gang can't use one of its claims, if so."""
    assert gang.spec is not None, "a refused gang is not asked"
    for use in (use for role in gang.spec.roles for use in role.claims):
        look = _of_shared if use.sharing is Sharing.SHARED else _of_own
        refusal = look(claims, gang, gang.spec, use)
        if refusal is not None:
            return refusal
    return None


def _of_shared(claims: Claims, gang: GangFact, spec: GangSpec, use: ClaimUse) -> Refusal | None:
    claim = claims.claims.get(ClaimKey(gang.key.namespace, use.claim))
    if claim is None:
        return _refusal(Reason.CLAIM_NOT_READY, f"Claim {use.claim} does not exist", use)
    if (problem := _problem(claims, claim)) is not None:
        return _refusal(Reason.CLAIM_NOT_READY, f"Claim {use.claim} {problem}", use)
    if (unbound := _unbound(claims, claim)) is not None:
        return _refusal(Reason.CLAIM_NOT_BOUND, f"Claim {use.claim} {unbound}", use)
    if _most_users(spec, use) == 1 or claim.wish.modes & _SHARED_MODES:
        return None
    modes = ", ".join(sorted(claim.wish.modes))
    message = f"{use.field}: claim {use.claim} is {modes}, which the members of a gang can't share."
    return Refusal(Reason.UNSUPPORTED_FIELD, message)


def _most_users(spec: GangSpec, use: ClaimUse) -> int:
    """How many members may use a shared claim."""
    names = ({one.claim for one in role.claims if one.sharing is Sharing.SHARED} for role in spec.roles)
    return sum(role.sizes.maximum for role, used in zip(spec.roles, names, strict=True) if use.claim in used)


def _of_own(claims: Claims, gang: GangFact, spec: GangSpec, use: ClaimUse) -> Refusal | None:
    """Why not every member can have a claim of its own: its class, and what kept ones there are."""
    assert use.wish is not None, "a claim that is made for a member has a wish"
    problem = _problem_of_class(claims, use.wish.storage_class)
    if problem is not None:
        return _refusal(Reason.CLAIM_NOT_READY, f"The claim {problem}", use)
    ranks = range(spec.maximum) if use.sharing is Sharing.KEPT else ()
    keys = (ClaimKey(gang.key.namespace, kept_claim(use.claim, gang.key.name, rank)) for rank in ranks)
    for claim in (claims.claims[key] for key in keys if key in claims.claims):
        problem = "is another's, and goes with it" if claim.owner not in ("", gang.uid) else _problem(claims, claim)
        if problem is not None:
            return _refusal(Reason.CLAIM_NOT_READY, f"Claim {claim.key.name} {problem}", use)
    return None


def _refusal(reason: Reason, words: str, use: ClaimUse) -> Refusal:
    """The claim comes before the field that names it: what is mended is the claim."""
    return Refusal(reason, f"{words} ({use.field}).")


def _problem(claims: Claims, claim: ClaimFact) -> str | None:
    """Why nobody can use a claim as things are, but that it is not bound."""
    if claim.is_deleting:
        return "is being deleted"
    if claim.is_bound and not claims.is_usable(claim):
        return f"is bound to volume {claim.volume}, which does not exist"
    return None if claim.is_bound or claim.volume else _problem_of_class(claims, claim.wish.storage_class)


def _unbound(claims: Claims, claim: ClaimFact) -> str | None:
    """Why nobody can have a volume bound to the claim by going to a node."""
    if claim.is_bound:
        return None
    if claim.volume:
        return f"is not bound to volume {claim.volume} yet"
    return None if claims.waits(claim.wish) else "is not bound to a volume yet"


def _problem_of_class(claims: Claims, name: str | None) -> str | None:
    if not name or name in claims.storage.classes.facts:
        return None
    return f"is of storage class {name}, which does not exist"
