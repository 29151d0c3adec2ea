"""Makes the pictures of the timeline: one at a time, in a thread, and only if something has changed."""

import asyncio
import hashlib
from collections.abc import Callable
from dataclasses import dataclass

import orjson

from lockstep.belief.state import State
from lockstep.cycle.planning.decided import LastPlan
from lockstep.report.timeline import TimelineFacts, draw, freeze

# The least time between two pictures, in seconds: the cache may change a hundred times a second.
_SHORTEST_SECONDS = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """A picture as JSON. ``tag`` is its HTTP entity tag, which is equal for equal pictures."""

    body: bytes
    tag: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Made:
    """A picture, and until when it is valid. ``made_at`` is monotonic, ``until`` is a time of day."""

    picture: Picture
    made_at: float
    until: float
    generation: int
    decided: LastPlan | None


class Pictures:
    """Keeps the newest picture of one state. ``now`` returns the time of day."""

    def __init__(
        self,
        state: State,
        decided: Callable[[], LastPlan | None],
        *,
        now: Callable[[], float],
        monotonic: Callable[[], float],
    ) -> None:
        self._state = state
        self._decided = decided
        self._now = now
        self._monotonic = monotonic
        self._made: _Made | None = None
        self._making = asyncio.Lock()

    async def newest(self) -> Picture:
        """The last picture if it is still valid or less than a second old, else a new one."""
        async with self._making:
            if self._made is None or self._is_old(self._made):
                self._made = await self._make()
            return self._made.picture

    def _is_old(self, made: _Made) -> bool:
        if self._monotonic() - made.made_at < _SHORTEST_SECONDS:
            return False
        has_changed = made.generation != self._state.changes.generation or made.decided is not self._decided()
        return has_changed or self._now() >= made.until

    async def _make(self) -> _Made:
        decided, generation, made_at = self._decided(), self._state.changes.generation, self._monotonic()
        facts = self._facts(decided, self._now())
        picture = await asyncio.to_thread(_picture, facts)
        return _Made(picture=picture, made_at=made_at, until=facts.next_overrun, generation=generation, decided=decided)

    def _facts(self, decided: LastPlan | None, now: float) -> TimelineFacts:
        if decided is None:
            return freeze(self._state, (), planned_at=now, now=now)
        return freeze(self._state, (*decided.plan.decisions, *decided.ahead), planned_at=decided.snapshot.now, now=now)


def _picture(facts: TimelineFacts) -> Picture:
    body = orjson.dumps(draw(facts))
    return Picture(body=body, tag=f'"{hashlib.sha256(body).hexdigest()[:32]}"')
