"""``spec.dealing``, ``spec.maxFailedPieces`` and ``status.pieces``: pieces that are dealt while members run."""

from typing import Any

from lockstep.api.manifest import Manifest
from lockstep.facts.gang.dealing import MOST_DEALT_PIECES, DealingSpec
from lockstep.facts.piece_states import PieceCounts

_WHILE_RUNNING = "WhileRunning"


def is_dealt_while_running(spec: Manifest) -> bool:
    """Whether the members of a GangJob, or of a role, with that spec ask a dealer for their pieces."""
    return bool(spec.get("dealing") == _WHILE_RUNNING)


def parse_dealing(spec: Manifest) -> DealingSpec | None:
    """How pieces are dealt while members run; None if no pieces are dealt in this way.

    Raises ``ValueError`` if ``pieces`` is missing or too large.
    """
    if not is_dealt_while_running(spec):
        return None
    # The API server checks this too, but it may not have seen a manifest from a file.
    if "pieces" not in spec:
        raise ValueError("dealing: is allowed only with load Pieces, beside template")
    if spec["pieces"] > MOST_DEALT_PIECES:
        raise ValueError(f"pieces: must be at most {MOST_DEALT_PIECES} with dealing WhileRunning, not {spec['pieces']}")
    return DealingSpec(spec["pieces"], spec.get("maxFailedPieces", 0))


def parse_piece_counts(pieces: Manifest | None) -> PieceCounts | None:
    """Parse ``status.pieces``; None if it is absent."""
    if not pieces:
        return None
    return PieceCounts(
        done=pieces["done"], failed=pieces["failed"], first_failed=tuple(pieces.get("firstFailed") or ())
    )


def piece_counts_manifest(counts: PieceCounts) -> dict[str, Any]:
    """Format ``status.pieces``."""
    return {"done": counts.done, "failed": counts.failed, "firstFailed": [*counts.first_failed] or None}
