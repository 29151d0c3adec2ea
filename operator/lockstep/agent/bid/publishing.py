"""Decides when to write the node's bid, and handles refusals by the API server."""

from dataclasses import dataclass
from http import HTTPStatus
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

# A conflict may name fields that other programs have set. The next try leaves out these fields.
_TRIES = 3
# The least seconds between two writes of changes, since the operator makes a new plan after each.
_CHANGE_SECONDS = 60.0
_LATEST_FIRST_SECONDS = 30.0
# After these seconds the whole offer is written again: hours of the forecast have passed, and other programs may have
# given up fields.
_ANEW_SECONDS = 3600.0
_REPORT_SECONDS = 600.0
_LONGEST_PAUSE_SECONDS = 300.0
_NOTHING = NodeOffer(duty_cycle=None, capacity=None, owner_present=None, forecast=())


class Apply(Protocol):
    """Applies a manifest to the object at a path."""

    def __call__(self, path: str, manifest: Any) -> RawAnswer:
        """Return the answer: the object, or why the manifest was not applied."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BidTerms:
    """The lifetime of the node's bid, and the smallest differences that make a new offer."""

    lifetime_seconds: float
    differences: Differences

    def first_seconds(self, node: str) -> float:
        """Seconds from the start to the first write."""
        return min(self.lifetime_seconds / 6, _LATEST_FIRST_SECONDS) * _share(node)

    def renewal_seconds(self, node: str) -> float:
        """Seconds between two writes without a change. They leave time for several tries before the bid expires."""
        return self.lifetime_seconds * (0.4 + 0.2 * _share(f"{node} renews"))

    @property
    def awaited_seconds(self) -> float:
        """How long a write may wait for a measurement. Even after this wait, the last bid has not expired."""
        return self.lifetime_seconds * 0.4

    def change_seconds(self, node: str) -> float:
        """The least seconds between two writes of changes: 60, or the renewal period if that is shorter."""
        return min(_CHANGE_SECONDS, self.renewal_seconds(node))


class Publisher:
    """Writes the measurements into the node's bid: when they have changed, and before the bid expires.

    A renewal repeats the last offer exactly, so that the operator does not plan again. The times of writes depend on
    the node's name, so that thousands of nodes do not all write at the same time.
    """

    def __init__(self, node: str, apply: Apply, clock: Clock, terms: BidTerms) -> None:
        self._node = node
        self._apply = apply
        self._clock = clock
        self._terms = terms
        self._next_try = clock.now() + terms.first_seconds(node)
        self._renewal_seconds = terms.renewal_seconds(node)
        self._change_seconds = terms.change_seconds(node)
        self._unmeasured_since: float | None = None
        self._failures = 0
        self._trouble = RepeatedFailure("the bid can't be written")
        self._status_trouble = RepeatedFailure("the status of the bid can't be written")
        self._offered: NodeOffer | None = None
        self._kept: frozenset[Kept] = frozenset()
        self._written_at = self._anew_at = self._reported_at = -float("inf")

    def update(self, measured: Measured | None) -> None:
        """Write the bid and its status if they are due.

        ``measured`` is None until the operator has reported which pods on the node are members.
        """
        now = self._clock.now()
        is_awaited = self._is_awaited(measured, now)
        if is_awaited or now < self._next_try:
            return
        offer = _NOTHING if measured is None else offer_of(measured)
        is_new = self._is_new(offer, now)
        if not is_new and now < self._written_at + self._renewal_seconds:
            return
        answer = self._write(offer if is_new or self._offered is None else self._offered)
        if not answer.is_success:
            self._back_off(now, answer)
            return
        self._wrote(now, offer, is_new=is_new)
        if is_new or now >= self._reported_at + _REPORT_SECONDS or not has_report(answer.body):
            self._write_status(now, offer, measured)

    def _is_awaited(self, measured: Measured | None, now: float) -> bool:
        """Whether the write waits for a measurement, which takes two samples.

        When the agent starts, or the node has slept, nothing is measured yet. A bid without measurements would withdraw
        those of the last bid: gangs could start on the node of an owner who is present.
        """
        if measured is None or measured.owner_present is not None:
            self._unmeasured_since = None
            return False
        if self._unmeasured_since is None:
            self._unmeasured_since = now
        return now < self._unmeasured_since + self._terms.awaited_seconds

    def _is_new(self, offer: NodeOffer, now: float) -> bool:
        if self._offered is None or now >= self._anew_at + _ANEW_SECONDS:
            return True
        is_due = now >= self._written_at + self._change_seconds
        return is_due and self._terms.differences.between(self._offered, offer)

    def _write(self, offer: NodeOffer) -> RawAnswer:
        """Apply the offer without fields that other programs have set.

        If a conflict names more such fields, try again.
        """
        if self._clock.now() >= self._anew_at + _ANEW_SECONDS:
            self._kept = frozenset()
        for _ in range(_TRIES):
            expires = self._clock.wall() + self._terms.lifetime_seconds
            answer = self._send(
                bid_path(self._node), offer_manifest(self._node, offer, expires=expires, kept=self._kept)
            )
            kept = kept_by_others(answer.body) if answer.code == HTTPStatus.CONFLICT else frozenset()
            if kept <= self._kept:
                break
            self._kept |= kept
        return answer

    def _wrote(self, now: float, offer: NodeOffer, *, is_new: bool) -> None:
        if is_new:
            self._offered = offer
        if now >= self._anew_at + _ANEW_SECONDS:
            self._anew_at = now
        self._written_at, self._failures = now, 0
        self._trouble.is_over()

    def _write_status(self, now: float, offer: NodeOffer, measured: Measured | None) -> None:
        """Write the status. If this fails, the next write of the bid tries it again."""
        answer = self._send(
            f"{bid_path(self._node)}/status", report_manifest(self._node, offer, self._report(measured))
        )
        if answer.is_success:
            self._reported_at = now
            self._status_trouble.is_over()
        else:
            self._status_trouble.is_there(answer.code, answer.message)

    def _report(self, measured: Measured | None) -> AgentReport:
        wall = self._clock.wall()
        return nothing_known(wall) if measured is None else report_of(measured, wall=wall, kept=self._kept)

    def _send(self, path: str, manifest: Any) -> RawAnswer:
        answer = self._apply(path, manifest)
        if answer.wall is not None:
            self._clock.hear(answer.wall)
        return answer

    def _back_off(self, now: float, answer: RawAnswer) -> None:
        """Wait longer after each failure; the time differs from node to node."""
        pause = pause_after(self._failures) * (1 + _share(f"{self._node} {self._failures}"))
        self._next_try = now + min(max(pause, answer.pause), _LONGEST_PAUSE_SECONDS)
        self._failures += 1
        self._trouble.is_there(answer.code, answer.message)


def _share(text: str) -> float:
    """A number from 0 to 1 that is derived from the text and differs for most texts."""
    return crc32(text.encode()) / 2**32
