"""The ConfigMap of a gang with a dealer: the key of its attempt, and the states of its pieces, two bits each."""

import binascii
from base64 import b64decode, b64encode
from typing import NamedTuple

from lockstep.api.common_objects import owned_metadata
from lockstep.api.manifest import Manifest, NewManifest
from lockstep.api.members.dealer import STATES_KEY, key_name, pieces_name
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.piece_states import check_bits


class KeptPieces(NamedTuple):
    """The contents of the ConfigMap. ``key`` is the key of an attempt, or ''; ``bits`` are the states of the pieces."""

    key: str
    bits: bytes


def pieces_manifest(gang: GangFact, attempt: int, kept: KeptPieces) -> NewManifest:
    """The ConfigMap with these contents."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": owned_metadata(gang, pieces_name(gang.key.name)),
        "data": {key_name(attempt): kept.key},
        "binaryData": {STATES_KEY: b64encode(kept.bits).decode()} if kept.bits else {},
    }


def parse_pieces(manifest: Manifest, attempt: int, pieces: int) -> KeptPieces:
    """Parse the ConfigMap. States that are invalid, or are of more or fewer than ``pieces`` pieces, are left out."""
    key = (manifest.get("data") or {}).get(key_name(attempt), "")
    try:
        bits = b64decode((manifest.get("binaryData") or {}).get(STATES_KEY, ""), validate=True)
        check_bits(bits, pieces)
    except (ValueError, binascii.Error):
        return KeptPieces(key, b"")
    return KeptPieces(key, bits)
