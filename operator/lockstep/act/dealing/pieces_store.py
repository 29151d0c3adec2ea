"""The ConfigMap in which the states of a gang's pieces outlive its pods, with the key of the present attempt.

An attempt creates it before its pods. Each step can be repeated: an attempt that has a key keeps it.
"""

import secrets

from lockstep.act.requests.owned_objects import OwnedObject, OwnedObjects
from lockstep.api.client import paths
from lockstep.api.client.answer import Answer, ApiUnavailableError, exists
from lockstep.api.client.client import KubeClient
from lockstep.api.common_objects import owner_uid
from lockstep.api.manifest import Manifest
from lockstep.api.members.dealer import pieces_name
from lockstep.api.members.pieces_object import KeptPieces, parse_pieces, pieces_manifest
from lockstep.facts.gang.dealing import DealingSpec
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.piece_states import merged
from lockstep.facts.pods.failure import Failure
from lockstep.facts.reasons import Reason

_KEY_BYTES = 16
_NOTHING = KeptPieces("", b"")


class PiecesStore:
    """The ConfigMap of one attempt of a gang that has a dealer."""

    def __init__(self, client: KubeClient, gang: GangFact, dealing: DealingSpec, attempt: int) -> None:
        self._client = client
        self._gang = gang
        self._pieces = dealing.pieces
        self._attempt = attempt
        namespace, name = gang.key.namespace, pieces_name(gang.key.name)
        self._folder, self._place = paths.config_maps_of(namespace), paths.config_map(namespace, name)
        self._name = f"ConfigMap {name}"

    async def begin(self, bits: bytes) -> Failure | None:
        """Make sure that the ConfigMap has a key for the attempt, and the states of pieces.

        ``bits`` are states from memory, and are added to those in the ConfigMap. Returns why that failed, or None.
        """
        try:
            there = await self.read()
            key = there.key or secrets.token_hex(_KEY_BYTES)
            manifest = self._manifest(KeptPieces(key, merged(there.bits, bits)))
            thing = OwnedObject(self._name, self._folder, self._place, manifest)
            problem = await OwnedObjects(self._client, self._gang, is_new=False).ensure(thing)
        except ApiUnavailableError as error:
            return Failure(reason=Reason.API_UNAVAILABLE, message=f"the API server did not answer: {error}")
        if not problem:
            return None
        return Failure(reason=Reason.NETWORK_REFUSED, message=f"Lockstep can't deal pieces to the members: {problem}")

    async def read(self) -> KeptPieces:
        """The content of the gang's own ConfigMap; nothing if there is none. Raises ``ApiUnavailableError``."""
        answer = await self._get()
        if answer.is_absence or owner_uid(answer.body, self._gang) != self._gang.uid:
            return _NOTHING
        return parse_pieces(answer.body, self._attempt, self._pieces)

    async def write(self, bits: bytes) -> bool:
        """Add states, unless the attempt is over. Returns whether the ConfigMap has them.

        Raises ``ApiUnavailableError``.
        """
        answer = await self._get()
        if answer.is_absence or owner_uid(answer.body, self._gang) != self._gang.uid:
            return False
        there = parse_pieces(answer.body, self._attempt, self._pieces)
        known = merged(there.bits, bits)
        if not there.key or known == there.bits:
            return bool(there.key)
        body = _version_of(answer.body, self._manifest(there._replace(bits=known)))
        return (await self._client.replace(self._place, body)).is_success

    async def _get(self) -> Answer:
        """Read the object. Raises ``ApiUnavailableError`` for any answer other than success or not found.

        Such an answer must not count as a missing ConfigMap: a new one would replace the key that members have.
        """
        answer = await self._client.get(self._place)
        exists(answer, self._name)
        return answer

    def _manifest(self, kept: KeptPieces) -> Manifest:
        return pieces_manifest(self._gang, self._attempt, kept)


def _version_of(there: Manifest, wanted: Manifest) -> Manifest:
    """The wanted manifest with the version of the existing object, so that it replaces no later version."""
    version = {"resourceVersion": there["metadata"]["resourceVersion"]}
    return {**wanted, "metadata": {**wanted["metadata"], **version}}
