"""Compares two ways to deal pieces: beforehand, by the speeds in bids, or while members run, by measured speeds.

While members run, each member gets further pieces whenever it is done. Half of the remaining pieces are divided by the
speeds that are known by then. The member gets its part, at least one piece. So a lost member costs only the pieces that
it has. If members get all pieces beforehand, the loss of one member ends the attempt. The next attempt does all pieces
on the other nodes.
"""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from coschedule import apportion

# Not all pieces are dealt at once. So members that prove slow get fewer of the later pieces.
_PART_THAT_IS_DEALT = 0.5


class MemberLoss(NamedTuple):
    """Member ``member`` is lost ``time`` s after the start."""

    member: int
    time: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DealtWork:
    """A number of ``pieces``, and the speeds of members in pieces a second: ``stated`` in their bids, and ``real``."""

    pieces: int
    stated: Sequence[float]
    real: Sequence[float]
    loss: MemberLoss | None = None

    def beforehand(self) -> float:
        """Return the time in s at which the last piece is done, if all pieces are dealt beforehand."""
        end = self._end(self.stated, self.real)
        if self.loss is None or end <= self.loss.time:
            return end
        return self.loss.time + self._end(self._without_lost(self.stated), self._without_lost(self.real))

    def while_running(self) -> float:
        """Return the time in s at which the last piece is done, if members get pieces while they run."""
        return _Dealer(self).end()

    def _end(self, stated: Sequence[float], real: Sequence[float]) -> float:
        return float(np.max(apportion(self.pieces, stated).counts / np.array(real)))

    def _without_lost(self, speeds: Sequence[float]) -> list[float]:
        assert self.loss is not None, "a member is lost"
        return [speed for member, speed in enumerate(speeds) if member != self.loss.member]


class _Chunk(NamedTuple):
    """A member does ``pieces`` pieces until the time ``until``; then the member ``is_lost``, or its pieces are done."""

    until: float
    member: int
    pieces: int
    is_lost: bool


class _Dealer:
    """Deals pieces to members as they become idle."""

    def __init__(self, work: DealtWork) -> None:
        self._work = work
        self._known = list(work.stated)
        self._left = work.pieces
        self._idle = list(range(len(work.stated)))
        self._chunks: list[_Chunk] = []

    def end(self) -> float:
        now = 0.0
        self._deal(now)
        while self._chunks:
            chunk = heapq.heappop(self._chunks)
            now = chunk.until
            if chunk.is_lost:
                self._known[chunk.member] = 0.0
                self._left += chunk.pieces
            else:
                self._known[chunk.member] = self._work.real[chunk.member]
                self._idle.append(chunk.member)
            self._deal(now)
        return now

    def _deal(self, now: float) -> None:
        while self._left and self._idle:
            member = self._idle.pop(0)
            if self._is_gone(member, now):
                self._known[member] = 0.0
                continue
            part = _PART_THAT_IS_DEALT * self._known[member] / sum(self._known)
            pieces = min(self._left, max(1, round(self._left * part)))
            self._left -= pieces
            heapq.heappush(self._chunks, self._chunk(member, pieces, now))

    def _chunk(self, member: int, pieces: int, now: float) -> _Chunk:
        done, loss = now + pieces / self._work.real[member], self._work.loss
        if loss is not None and loss.member == member and done > loss.time:
            return _Chunk(loss.time, member, pieces, is_lost=True)
        return _Chunk(done, member, pieces, is_lost=False)

    def _is_gone(self, member: int, now: float) -> bool:
        return self._work.loss is not None and self._work.loss.member == member and now >= self._work.loss.time
