"""When the node's bid is written, and what is done when the API server does not take it."""

from dataclasses import dataclass
from typing import Any, Protocol
from zlib import crc32

from lockstep.agent.bid.clock import Clock
from lockstep.agent.bid.connection import RawAnswer
from lockstep.agent.bid.offering import Differences, offer_of
from lockstep.agent.bid.repeated_failure import RepeatedFailure
from lockstep.agent.bid.status_text import nothing_known, report_of
from lockstep.agent.measuring.measured import Measured
from lockstep.api.client.pauses import pause_after
from lockstep.api.nodebid.offer import (
    AgentReport,
    Kept,
    NodeOffer,
    bid_path,
    has_report,
    kept_by_others,
    offer_manifest,
    report_manifest,
)

_CONFLICT = 409
# Others may set fields of which an answer tells, while they are left out.
_TRIES = 3
# From one write to the next at least, where something has changed: everybody plans anew because of it.
_CHANGE_SECONDS = 60.0
_LATEST_FIRST_SECONDS = 30.0
# Hours of the forecast pass, and who kept a field may have given it up.
_ANEW_SECONDS = 3600.0
_REPORT_SECONDS = 600.0
_LONGEST_PAUSE_SECONDS = 300.0
_NOTHING = NodeOffer(duty_cycle=None, capacity=None, owner_present=None, forecast=())


class Apply(Protocol):
    """Applies a manifest to what is at a path."""

    def __call__(self, path: str, manifest: Any) -> RawAnswer:
        """Return the object, or why not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BidTerms:
    """How a node bids: for how long, and from which change on it says something new."""

    lifetime_seconds: float
    differences: Differences

    def first_seconds(self, node: str) -> float:
        """From the start to the first write."""
        return min(self.lifetime_seconds / 6, _LATEST_FIRST_SECONDS) * _share(node)

    def renewal_seconds(self, node: str) -> float:
        """From one write to the next where nothing has changed: early enough for some tries more."""
        return self.lifetime_seconds * (0.4 + 0.2 * _share(f"{node} renews"))

    def change_seconds(self, node: str) -> float:
        """From one write to the next, at least, where something has changed: with the renewal, if that is sooner."""
        return min(_CHANGE_SECONDS, self.renewal_seconds(node))


class Publisher:
    """Writes what is measured into one node's bid: when it has changed, and before the bid expires.

    A renewal repeats what was offered, to the letter, so that nobody plans anew because of it. Nodes do all this at
    moments of their own, by their names, so that thousands of them never write at once.
    """

    def __init__(self, node: str, apply: Apply, clock: Clock, terms: BidTerms) -> None:
        self._node = node
        self._apply = apply
        self._clock = clock
        self._terms = terms
        self._next_try = clock.now() + terms.first_seconds(node)
        self._renewal_seconds = terms.renewal_seconds(node)
        self._change_seconds = terms.change_seconds(node)
        self._failures = 0
        self._trouble = RepeatedFailure("the bid can't be written")
        self._trouble_telling = RepeatedFailure("the status of the bid can't be written")
        self._offered: NodeOffer | None = None
        self._kept: frozenset[Kept] = frozenset()
        self._written_at = self._anew_at = self._reported_at = -float("inf")

    def look(self, measured: Measured | None) -> None:
        """Write what is due, if anything is; None is a node of which nothing can be known yet."""
        now = self._clock.now()
        if now < self._next_try:
            return
        offer = _NOTHING if measured is None else offer_of(measured)
        is_news = self._is_news(offer, now)
        if not is_news and now < self._written_at + self._renewal_seconds:
            return
        answer = self._write(offer if is_news or self._offered is None else self._offered)
        if not answer.is_success:
            self._back_off(now, answer)
            return
        self._wrote(now, offer, is_news=is_news)
        if is_news or now >= self._reported_at + _REPORT_SECONDS or not has_report(answer.body):
            self._tell(now, offer, measured)

    def _is_news(self, offer: NodeOffer, now: float) -> bool:
        if self._offered is None or now >= self._anew_at + _ANEW_SECONDS:
            return True
        is_due = now >= self._written_at + self._change_seconds
        return is_due and self._terms.differences.between(self._offered, offer)

    def _write(self, offer: NodeOffer) -> RawAnswer:
        """Apply the offer without what others keep, as often as somebody turns out to keep something more."""
        if self._clock.now() >= self._anew_at + _ANEW_SECONDS:
            self._kept = frozenset()
        for _ in range(_TRIES):
            expires = self._clock.wall() + self._terms.lifetime_seconds
            answer = self._send(
                bid_path(self._node), offer_manifest(self._node, offer, expires=expires, kept=self._kept)
            )
            kept = kept_by_others(answer.body) if answer.code == _CONFLICT else frozenset()
            if kept <= self._kept:
                break
            self._kept |= kept
        return answer

    def _wrote(self, now: float, offer: NodeOffer, *, is_news: bool) -> None:
        if is_news:
            self._offered = offer
        if now >= self._anew_at + _ANEW_SECONDS:
            self._anew_at = now
        self._written_at, self._failures = now, 0
        self._trouble.is_over()

    def _tell(self, now: float, offer: NodeOffer, measured: Measured | None) -> None:
        """Write the status. Where that fails, it is tried again with the next write of the bid."""
        answer = self._send(
            f"{bid_path(self._node)}/status", report_manifest(self._node, offer, self._report(measured))
        )
        if answer.is_success:
            self._reported_at = now
            self._trouble_telling.is_over()
        else:
            self._trouble_telling.is_there(answer.code, answer.message)

    def _report(self, measured: Measured | None) -> AgentReport:
        wall = self._clock.wall()
        return nothing_known(wall) if measured is None else report_of(measured, wall=wall, kept=self._kept)

    def _send(self, path: str, manifest: Any) -> RawAnswer:
        answer = self._apply(path, manifest)
        if answer.wall is not None:
            self._clock.hear(answer.wall)
        return answer

    def _back_off(self, now: float, answer: RawAnswer) -> None:
        """Wait longer after each failure, and each node for another while."""
        pause = pause_after(self._failures) * (1 + _share(f"{self._node} {self._failures}"))
        self._next_try = now + min(max(pause, answer.pause), _LONGEST_PAUSE_SECONDS)
        self._failures += 1
        self._trouble.is_there(answer.code, answer.message)


def _share(text: str) -> float:
    """A number from 0 to 1 that follows from the text, and is another one for most others."""
    return crc32(text.encode()) / 2**32
