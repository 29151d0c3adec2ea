"""The step before the bindings: every claim of an attempt gets a volume that its member's node can reach.

For a claim that waits for its first consumer, an existing volume is reserved. If none suits, the claim gets the node of
its member, and a volume is created there. A provisioner that can't create one removes the node from the claim again.
Each check starts from the claims, so that the operator can continue after a restart.
"""

import asyncio
import contextlib
import logging
from collections.abc import Callable, Iterable, Mapping

from lockstep.act.requests.concurrent import for_each
from lockstep.act.requests.services import Services
from lockstep.act.volumes.needed_claims import NeededClaim
from lockstep.act.volumes.volume_requests import ClaimWriter, refresh_claim
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
    """Provides the volumes of one attempt. The caller sets ``changed`` after each change of the gang or of a claim.

    ``uids`` are the UIDs of the created pods. ``lost`` returns why the attempt is over, or None.
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
        self._claim_writer = ClaimWriter(services, gang)

    async def provide(self) -> Failure | None:
        """Wait until all volumes exist.

        Returns why they do not: refused, too late, or out of reach; None if they do.
        """
        deadline = self._services.monotonic() + self._services.provision_timeout
        checks, check_at = 1, self._services.monotonic() + pause_after(1)
        while True:
            self._changed.clear()
            failure = self._lost() or self._failure()
            if failure is not None:
                return failure
            missing = [one for one in self._needed if not self._is_there(one)]
            if not missing:
                return None
            failure = await for_each([one for one in missing if self._needs_a_write(one)], self._claim_writer.write)
            if failure is not None or self._services.monotonic() >= deadline:
                return failure or self._too_late(missing)
            await self._until_changed(min(check_at, deadline) - self._services.monotonic())
            if self._services.monotonic() >= check_at:
                checks, check_at = checks + 1, self._services.monotonic() + pause_after(checks + 1)
                await self._read_missing(missing)

    def _size(self, needed: NeededClaim) -> int:
        """The requested size, if it is known. The smallest claim chooses first, as in kube-scheduler."""
        claim = self._claims.claims.get(needed.key)
        return 0 if claim is None else claim.request.size

    def _failure(self) -> Failure | None:
        """A failure that waiting does not mend, from the claims; None if there is none."""
        return next(filter(None, map(self._problem, self._needed)), None)

    def _problem(self, needed: NeededClaim) -> Failure | None:
        claim, name = self._claims.claims.get(needed.key), needed.key.name
        if claim is None:
            return None if needed.pod else _lost_claim(f"claim {name} is gone")
        if claim.is_deleting:
            return _lost_claim(f"claim {name} is being deleted")
        if needed.pod is not None and claim.owner != self._uids[needed.pod]:
            return _lost_claim(f"a claim {name} exists that does not belong to the pod")
        reach = self._claims.reach(claim)
        far = [node for node in needed.nodes if reach is not None and node not in reach]
        if self._claims.is_usable(claim) and far:
            return self._unreachable(needed, claim, far)
        if claim.selected_node and claim.selected_node != needed.node and not claim.is_bound:
            message = f"another program has selected node {claim.selected_node} for claim {name}, not {needed.node}"
            return Failure(reason=Reason.NO_LONGER_FITS, message=message)
        return None

    def _unreachable(self, needed: NeededClaim, claim: ClaimFact, far: list[str]) -> Failure:
        """The failure for a volume that the nodes ``far`` of its members can't reach.

        The next plan uses the nodes of a kept volume. A volume that is deleted with its pod does not affect the plan.
        So if the volume is deleted with its pod, the gang avoids ``far`` for a while.
        """
        if needed.pod is not None:
            self._claim_writer.avoid(far)
        message = f"volume {claim.volume} of claim {needed.key.name} can't be reached from {listed(far)}"
        return Failure(reason=Reason.NO_LONGER_FITS, message=message)

    def _is_there(self, needed: NeededClaim) -> bool:
        claim = self._claims.claims.get(needed.key)
        return claim is not None and self._claims.is_usable(claim)

    def _needs_a_write(self, needed: NeededClaim) -> bool:
        """Whether the claim waits until the operator writes a volume or a node to it."""
        claim = self._claims.claims.get(needed.key)
        if claim is None or claim.is_bound or claim.volume or claim.selected_node:
            return False
        return self._claims.waits(claim.request) and not self._claim_writer.has_reserved(claim.key)

    def _too_late(self, missing: list[NeededClaim]) -> Failure:
        self._claim_writer.avoid(one.node for one in missing)
        after = duration(self._services.provision_timeout)
        names = listed([f"{one.key.name} for {one.node}" for one in missing])
        return Failure(
            reason=Reason.VOLUME_NOT_PROVIDED,
            message=f"{n_claims(len(missing))} had no volume after {after}: {names}",
        )

    async def _read_missing(self, missing: list[NeededClaim]) -> None:
        """Read the missing claims from the API server, because watches may be broken."""
        failure = await for_each(missing, self._read)
        if failure is not None:
            log.warning("the gang's claims can't be read: %s", failure.message, extra=about(self._gang.key))

    async def _read(self, needed: NeededClaim) -> None:
        await refresh_claim(self._services.client, self._services.state, needed.key)

    async def _until_changed(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(max(0.0, seconds)):
                await self._changed.wait()


def _lost_claim(message: str) -> Failure:
    return Failure(reason=Reason.CLAIM_LOST, message=message)
