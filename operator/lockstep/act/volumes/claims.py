"""Creates the claims that members keep over restarts, before the pods of an attempt."""

import asyncio

from lockstep.act.requests.api_refusals import is_conflict, refused_claim
from lockstep.act.requests.concurrent import for_each
from lockstep.api.client import paths
from lockstep.api.client.answer import Answer
from lockstep.api.client.client import KubeClient
from lockstep.api.cluster.volume import parse_claim
from lockstep.api.manifest import Manifest
from lockstep.api.members.claims import kept_claim_manifest
from lockstep.belief.holding.reservation import Reservation
from lockstep.belief.state import State
from lockstep.facts.cluster.volume import ClaimKey
from lockstep.facts.gang.gang import AcceptedGang, GangFact
from lockstep.facts.pods.failure import Failure
from lockstep.facts.reasons import Reason

# Many simultaneous creates of claims conflict over the quota that counts them, as those of pods do.
_PAUSES_SECONDS = (0.1, 0.2, 0.4, 0.8)


async def create_missing_claims(
    client: KubeClient, state: State, gang: AcceptedGang, reservation: Reservation
) -> Failure | None:
    """Create the missing kept claims of all ranks. Returns why that failed, or None.

    An existing claim is used, unless it belongs to another gang.
    """
    templates = {role.name: [one.decoded() for one in role.claim_templates] for role in gang.spec.roles}
    wanted = (
        kept_claim_manifest(gang, template, rank, reservation.size)
        for rank, role, _, _ in reservation.by_rank()
        for template in templates[role]
    )
    missing = [one for one in wanted if _key(one) not in state.claims.claims]
    return await for_each(missing, lambda claim: _create(client, state, gang, claim))


async def _create(client: KubeClient, state: State, gang: GangFact, claim: Manifest) -> Failure | None:
    key = _key(claim)
    for seconds in _PAUSES_SECONDS:
        answer = await client.create(paths.claims_of(key.namespace), claim)
        if not is_conflict(answer):
            return _take(state, gang, key, answer)
        there = await client.get(paths.claim(key))
        if not there.is_absence:
            return _take(state, gang, key, there)
        await asyncio.sleep(seconds)
    message = f"the API server said {len(_PAUSES_SECONDS)} times that claim {key.name} conflicts with another"
    return Failure(reason=Reason.CLAIM_REFUSED, message=message)


def _take(state: State, gang: GangFact, key: ClaimKey, answer: Answer) -> Failure | None:
    """Put the claim, created now or earlier, into the cache. Returns a failure if the gang can't use it."""
    if not answer.is_success:
        return refused_claim(key.name, answer)
    fact = parse_claim(answer.body)
    state.claims.apply_claim(fact)
    if fact.owner in ("", gang.uid) and not fact.is_deleting:
        return None
    message = f"a claim {key.name} exists that does not belong to this gang, or is being deleted"
    return Failure(reason=Reason.CLAIM_REFUSED, message=message)


def _key(claim: Manifest) -> ClaimKey:
    return ClaimKey(claim["metadata"]["namespace"], claim["metadata"]["name"])
