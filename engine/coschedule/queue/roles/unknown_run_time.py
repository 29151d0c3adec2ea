"""Several roles, run time unknown: the earliest start from which all members may stay, then as many as fit.

With pieces, the gang gets the fewest members with which all pieces are done as early as with any number of members.
"""

import numpy as np

from coschedule.model.numbers import BoolArray, FloatArray
from coschedule.queue.roles.bounds import MixBounds
from coschedule.queue.roles.search import Found, PartySearch, Short
from coschedule.queue.roles.unequal import best_run


def earliest_mix(search: PartySearch, *, among: FloatArray, mixes: BoolArray) -> Found | None:
    """Find a run at the first of the instants ``among``, rising, from which one of ``mixes``, bool[m], may stay."""
    if not (mixes.any() and len(search.timeline.slowdowns) and len(among)):
        return None
    may_fit = MixBounds.of(search, among, np.inf).may_fit(int(np.argmax(mixes)))
    for start in among[may_fit].tolist():
        if search.effort.is_over:
            break
        found = _dealt(search, start, mixes) if search.party.pools else _most(search, start, mixes)
        if found is not None:
            return found
    return None


def _most(search: PartySearch, start: float, mixes: BoolArray) -> Found | None:
    room = search.room(start, np.inf)
    slowest = len(search.timeline.slowdowns) - 1
    fits = np.flatnonzero(mixes[: search.may_fit_anywhere(room)])
    while fits.size and not search.effort.is_over:
        mix = int(fits[-1])
        seats = search.seats(mix, room, slowest)
        if not isinstance(seats, Short):
            return Found(search.outline(mix, start, np.inf), seats)
        fits = fits[:-1][~search.party.no_easier(mix, seats.most)[fits[:-1]]]
    return None


def _dealt(search: PartySearch, start: float, mixes: BoolArray) -> Found | None:
    run = best_run(search, search.room(start, np.inf), mixes)
    return None if run is None else Found(search.outline(run.mix, start, np.inf), run.seats)
