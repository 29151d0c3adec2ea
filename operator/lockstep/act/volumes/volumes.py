"""Between the pods and their bindings: every claim of an attempt gets a volume that its member's node reaches.

A claim that waits for its first consumer is promised a volume that is there or, where none suits, told the node of its
member, so that one is made there. Whoever makes it and can't takes the node off the claim again. Each look starts from
what the claims show, so that the next process goes on where this one stops.
"""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Iterable, Mapping

from lockstep.act.requests.concurrent import for_each
from lockstep.act.requests.services import Services
from lockstep.act.volumes.needed_claims import NeededClaim
from lockstep.act.volumes.volume_requests import Teller, look_at_claim
from lockstep.api.client.pauses import pause_after
from lockstep.facts.cluster.volume import ClaimFact
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.pods.failure import Failure
from lockstep.facts.pods.pod import PodKey
from lockstep.facts.reasons import Reason
from lockstep.logs.fields import about
from lockstep.report.text.sentences import duration, listed, n_claims

log = logging.getLogger(__name__)


class VolumeProvider:
    """Provides the volumes of one attempt. ``changed`` is set after each news of the gang, or of a claim.

    ``uids`` are those of the pods, which were created before; ``lost`` says why the attempt is over meanwhile, if so.
    """

    def __init__(
        self,
        services: Services,
        gang: GangFact,
        needed: Iterable[NeededClaim],
        *,
        uids: Mapping[PodKey, str],
        changed: asyncio.Event,
        lost: Callable[[], Failure | None],
    ) -> None:
        self._services = services
        self._claims = services.state.claims
        self._gang = gang
        self._needed = sorted(needed, key=self._size)
        self._uids = uids
        self._changed = changed
        self._lost = lost
        self._teller = Teller(services, gang)

    async def provide(self) -> Failure | None:
        """Wait until all volumes are there, or say why they are not: refused, too late, or where they are no use."""
        deadline = self._services.monotonic() + self._services.provision_timeout
        looks, look_at = 1, self._services.monotonic() + pause_after(1)
        while True:
            self._changed.clear()
            failure = self._lost() or self._failure()
            if failure is not None:
                return failure
            missing = [one for one in self._needed if not self._is_there(one)]
            if not missing:
                return None
            failure = await for_each([one for one in missing if self._is_untold(one)], self._teller.tell)
            if failure is not None or self._services.monotonic() >= deadline:
                return failure or self._too_late(missing)
            await self._news(min(look_at, deadline) - self._services.monotonic())
            if self._services.monotonic() >= look_at:
                looks, look_at = looks + 1, self._services.monotonic() + pause_after(looks + 1)
                await self._look(missing)

    def _size(self, needed: NeededClaim) -> int:
        """What is looked for, where that is known: who asks for least chooses first, as kube-scheduler has it."""
        claim = self._claims.claims.get(needed.key)
        return 0 if claim is None else claim.wish.size

    def _failure(self) -> Failure | None:
        """What the claims show that no waiting mends."""
        return next(filter(None, map(self._problem, self._needed)), None)

    def _problem(self, needed: NeededClaim) -> Failure | None:
        claim, name = self._claims.claims.get(needed.key), needed.key.name
        if claim is None:
            return None if needed.pod else _lost_claim(f"claim {name} is gone")
        if claim.is_deleting:
            return _lost_claim(f"claim {name} is being deleted")
        if needed.pod is not None and claim.owner != self._uids[needed.pod]:
            return _lost_claim(f"a claim {name} that is not the pod's is in the way")
        reach = self._claims.reach(claim)
        far = [node for node in needed.nodes if reach is not None and node not in reach]
        if self._claims.is_usable(claim) and far:
            return self._unreachable(needed, claim, far)
        if claim.selected_node and claim.selected_node != needed.node and not claim.is_bound:
            message = (
                f"somebody else has the volume of claim {name} made for {claim.selected_node}, not for {needed.node}"
            )
            return Failure(reason=Reason.NO_LONGER_FITS, message=message)
        return None

    def _unreachable(self, needed: NeededClaim, claim: ClaimFact, far: list[str]) -> Failure:
        """A volume that lasts keeps the next plan where it is; of one that goes with its pod the node is remembered."""
        if needed.pod is not None:
            self._teller.remember(far)
        message = f"volume {claim.volume} of claim {needed.key.name} can't be reached from {listed(far)}"
        return Failure(reason=Reason.NO_LONGER_FITS, message=message)

    def _is_there(self, needed: NeededClaim) -> bool:
        claim = self._claims.claims.get(needed.key)
        return claim is not None and self._claims.is_usable(claim)

    def _is_untold(self, needed: NeededClaim) -> bool:
        """Whether nobody will provide a volume unless somebody says where or which."""
        claim = self._claims.claims.get(needed.key)
        if claim is None or claim.is_bound or claim.volume or claim.selected_node:
            return False
        return self._claims.waits(claim.wish) and not self._teller.has_promised(claim.key)

    def _too_late(self, missing: list[NeededClaim]) -> Failure:
        self._teller.remember(one.node for one in missing)
        after = duration(self._services.provision_timeout)
        names = listed([f"{one.key.name} for {one.node}" for one in missing])
        return Failure(
            reason=Reason.VOLUME_NOT_PROVIDED,
            message=f"after {after} the volumes of {n_claims(len(missing))} were not there: {names}",
        )

    async def _look(self, missing: list[NeededClaim]) -> None:
        """Ask the API server itself: watches may be blind."""
        failure = await for_each(missing, self._look_at)
        if failure is not None:
            log.warning("its claims can't be looked at: %s", failure.message, extra=about(self._gang.key))

    async def _look_at(self, needed: NeededClaim) -> None:
        await look_at_claim(self._services.client, self._services.state, needed.key)

    async def _news(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(max(0.0, seconds)):
                await self._changed.wait()


def _lost_claim(message: str) -> Failure:
    return Failure(reason=Reason.CLAIM_LOST, message=message)
