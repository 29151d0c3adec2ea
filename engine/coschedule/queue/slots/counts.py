"""How many places a room has at each of its instants."""

from dataclasses import dataclass

import numpy as np

from coschedule.model.numbers import FloatArray, IntArray
from coschedule.queue.slots.open_slots import Room
from coschedule.queue.slots.segments import change, is_first


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Tally:
    """Axes: pace ``t``, instant ``k`` of the room, change ``v`` after now.

    Times before the first instant count as that instant. ``now[t]`` places of pace ``t`` are there now. ``gain[v]``
    more (or fewer) of pace ``pace[v]`` are there from ``time[v]`` on, which is at the instant ``met[v]`` or between the
    one before and that; the places that change were there since the instant ``began[v]``. An index may be one past the
    last instant.
    """

    instants: FloatArray
    now: IntArray
    gain: IntArray
    pace: IntArray
    time: FloatArray
    met: IntArray
    began: IntArray

    def places(self, indices: IntArray) -> IntArray:
        """Count the places no slower than each pace at the instants ``indices``, rising: int[t, index]."""
        column_of = np.searchsorted(indices, np.arange(len(self.instants) + 1))
        return self._sum(column_of[self.met], columns=len(indices), ranges=len(self.now))

    def outlasting(self, shortest: float, *, ranges: int) -> IntArray:
        """Count at every instant no fewer places than outlast a run of ``shortest`` seconds: int[range, k].

        Paces are put together in ranges; places no slower than each range are counted. A loss counts from the first
        instant from which such a run would meet it, though not before the places that are lost were there.
        """
        ahead = np.searchsorted(self.instants + shortest, self.time, side="right")
        counted = np.where(self.gain < 0, np.maximum(np.minimum(ahead, self.met), self.began), self.met)
        return self._sum(counted, columns=len(self.instants), ranges=ranges)

    def _sum(self, column: IntArray, *, columns: int, ranges: int) -> IntArray:
        """Add up what is there now and every change from its column on, over paces too."""
        paces = len(self.now)
        places = np.zeros((ranges, columns + 1))
        np.add.at(places[:, 0], np.arange(paces) * ranges // paces, self.now)
        flat = (self.pace * ranges // paces) * (columns + 1) + column
        places += np.bincount(flat, weights=self.gain, minlength=places.size).reshape(places.shape)
        by_range = np.cumsum(places[:, :columns], axis=1)
        return np.cumsum(by_range, axis=0).astype(np.int64)


def tally_of(room: Room) -> Tally:
    """Count once what every search in the room needs."""
    first = is_first(room.owner)
    later = np.flatnonzero(~first)
    classes = room.owner[later]
    now = np.bincount(room.pace, weights=room.places[first] * room.width, minlength=len(room.slowdowns))
    return Tally(
        instants=room.instants,
        now=now.astype(np.int64),
        gain=change(room.places, room.owner)[later] * room.width[classes],
        pace=room.pace[classes],
        time=room.begin[later],
        met=np.searchsorted(room.instants, room.begin[later]),
        began=np.searchsorted(room.instants, room.begin[later - 1]),
    )
