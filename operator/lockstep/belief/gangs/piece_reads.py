"""States of pieces as dealers have reported them, and counts of pieces from all sources."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from coschedule import GangKey
from lockstep.api.members.dealer import FIRST_RANK
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.piece_states import NO_PIECES, PieceCounts, counted, merged
from lockstep.facts.pods.pod import PodFact
from lockstep.facts.ranks import has_rank


class _Read(NamedTuple):
    """The states of the pieces of one GangJob, two bits each. They are counted once: gangs are reconciled often."""

    gang_uid: str
    bits: bytes
    counts: PieceCounts


class PieceReads:
    """The states of pieces that dealers have sent, for gangs that hold nodes.

    No piece goes back to an earlier state.
    """

    def __init__(self, changed: Callable[[GangKey], None]) -> None:
        self._changed = changed
        self._reads: dict[GangKey, _Read] = {}

    def record(self, gang: GangFact, bits: bytes) -> bytes:
        """Add states that were read from the gang's dealer. Returns all known states of its pieces."""
        before = self.bits(gang)
        known = merged(before, bits)
        if known == before:
            return known
        self._reads[gang.key] = _Read(gang.uid, known, counted(known))
        self._changed(gang.key)
        return known

    def bits(self, gang: GangFact) -> bytes:
        """The states that were read for the gang; empty if nothing was read."""
        read = self._read(gang)
        return b"" if read is None else read.bits

    def counts(self, gang: GangFact) -> PieceCounts:
        """The number of pieces in each state that was read for the gang."""
        read = self._read(gang)
        return NO_PIECES if read is None else read.counts

    def keep_only(self, is_kept: Callable[[GangKey], bool]) -> None:
        """Forget the gangs for which ``is_kept`` is false."""
        self._reads = {key: read for key, read in self._reads.items() if is_kept(key)}

    def _read(self, gang: GangFact) -> _Read | None:
        read = self._reads.get(gang.key)
        return read if read is not None and read.gang_uid == gang.uid else None


def piece_counts(gang: GangFact, reads: PieceReads, pods: Iterable[PodFact]) -> PieceCounts:
    """The counts with the most settled pieces: from the gang's status, its dealer, or pods of ended dealers."""
    if gang.dealing is None:
        return NO_PIECES
    most = gang.dealing.pieces
    left = (pod.dealer.last_counts for pod in pods if pod.dealer is not None and _is_first(pod))
    known = (gang.status.pieces, reads.counts(gang), *left)
    fitting = (one for one in known if one is not None and one.settled <= most)
    return max(fitting, key=lambda one: (one.settled, one.done), default=NO_PIECES)


def pieces_left(gang: GangFact, reads: PieceReads, pods: Iterable[PodFact]) -> int | None:
    """How many pieces are neither done nor failed; None if no dealer deals pieces of the gang."""
    if gang.dealing is None:
        return None
    return gang.dealing.pieces - piece_counts(gang, reads, pods).settled


def has_no_dealer_any_more(gang: GangFact, succeeded_ranks: int) -> bool:
    """Whether the gang's dealer has ended, because the member of rank 0 has succeeded: members get no more pieces."""
    return gang.dealing is not None and has_rank(succeeded_ranks, FIRST_RANK)


def _is_first(pod: PodFact) -> bool:
    return pod.member is not None and pod.member.rank == FIRST_RANK
