"""Why a gang can't use its claims at present. The gang is refused, and accepted again once the problem is over."""

from collections import Counter

from lockstep.belief.volumes.claims import Claims
from lockstep.facts.cluster.volume import ClaimFact, ClaimKey, ClaimUse, Sharing
from lockstep.facts.gang.gang import AcceptedGang, GangFact, GangSpec, Refusal
from lockstep.facts.reasons import Reason

# Modes in which several members, or members on several nodes, can use one volume.
_SHARED_MODES = frozenset({"ReadWriteMany", "ReadOnlyMany"})


def claim_refusal(claims: Claims, gang: AcceptedGang) -> Refusal | None:
    """Why the gang can't use one of its claims; None if it can."""
    return claims.remembered(_refusal_of, gang) if any(role.claims for role in gang.spec.roles) else None


def _refusal_of(claims: Claims, gang: AcceptedGang) -> Refusal | None:
    users = _most_users(gang.spec)
    for use in (use for role in gang.spec.roles for use in role.claims):
        if use.sharing is Sharing.SHARED:
            refusal = _of_shared(claims, gang, use, users[use.claim])
        else:
            refusal = _of_own(claims, gang, gang.spec, use)
        if refusal is not None:
            return refusal
    return None


def _of_shared(claims: Claims, gang: GangFact, use: ClaimUse, users: int) -> Refusal | None:
    """Why ``users`` members can't share a claim; None if they can."""
    claim = claims.claims.get(ClaimKey(gang.key.namespace, use.claim))
    if claim is None:
        return _refusal(Reason.CLAIM_NOT_READY, f"Claim {use.claim} does not exist", use)
    if (problem := _problem(claims, claim)) is not None:
        return _refusal(Reason.CLAIM_NOT_READY, f"Claim {use.claim} {problem}", use)
    if (unbound := _unbound(claims, claim)) is not None:
        return _refusal(Reason.CLAIM_NOT_BOUND, f"Claim {use.claim} {unbound}", use)
    if users == 1 or claim.request.modes & _SHARED_MODES:
        return None
    modes = ", ".join(sorted(claim.request.modes))
    message = f"{use.field}: claim {use.claim} is {modes}, which the members of a gang can't share."
    return Refusal(Reason.UNSUPPORTED_FIELD, message)


def _most_users(spec: GangSpec) -> Counter[str]:
    """The largest number of members that may use each shared claim."""
    users: Counter[str] = Counter()
    for role in spec.roles:
        for name in {use.claim for use in role.claims if use.sharing is Sharing.SHARED}:
            users[name] += role.sizes.maximum
    return users


def _of_own(claims: Claims, gang: GangFact, spec: GangSpec, use: ClaimUse) -> Refusal | None:
    """Why some member can't have its own claim, because of the storage class or a kept claim; None if all can."""
    assert use.request is not None, "a claim that is made for a member has a request"
    problem = _problem_of_class(claims, use.request.storage_class)
    if problem is not None:
        return _refusal(Reason.CLAIM_NOT_READY, f"The claim {problem}", use)
    kept = claims.kept(gang.key, use.claim) if use.sharing is Sharing.KEPT else {}
    ranks = [rank for rank, claim in kept.items() if _problem_of_kept(claims, claim, gang)]
    rank = min((rank for rank in ranks if rank < spec.maximum), default=None)
    if rank is None:
        return None
    words = f"Claim {kept[rank].key.name} {_problem_of_kept(claims, kept[rank], gang)}"
    return _refusal(Reason.CLAIM_NOT_READY, words, use)


def _problem_of_kept(claims: Claims, claim: ClaimFact, gang: GangFact) -> str | None:
    return (
        "belongs to another object, and is deleted with it"
        if claim.owner not in ("", gang.uid)
        else _problem(claims, claim)
    )


def _refusal(reason: Reason, words: str, use: ClaimUse) -> Refusal:
    """The refusal with these words. They name the claim before the field, since the user must change the claim."""
    return Refusal(reason, f"{words} ({use.field}).")


def _problem(claims: Claims, claim: ClaimFact) -> str | None:
    """Why no pod can use a claim at present, apart from a missing binding; None if one can."""
    if claim.is_deleting:
        return "is being deleted"
    if claim.is_bound and not claims.is_usable(claim):
        return f"is bound to volume {claim.volume}, which does not exist"
    return None if claim.is_bound or claim.volume else _problem_of_class(claims, claim.request.storage_class)


def _unbound(claims: Claims, claim: ClaimFact) -> str | None:
    """Why a claim stays unbound after its pod gets a node; None if it is bound, or will be bound then."""
    if claim.is_bound:
        return None
    if claim.volume:
        return f"is not bound to volume {claim.volume} yet"
    return None if claims.waits(claim.request) else "is not bound to a volume yet"


def _problem_of_class(claims: Claims, name: str | None) -> str | None:
    if not name or name in claims.storage.classes.facts:
        return None
    return f"is of storage class {name}, which does not exist"
