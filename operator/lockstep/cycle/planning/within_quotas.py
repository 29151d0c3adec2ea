"""Applies ResourceQuotas to waiting gangs: which may be planned, with how many members, and which are refused."""

from collections.abc import Generator, Iterable, Mapping
from typing import NamedTuple

from coschedule import GangKey, Unplaceable
from lockstep.belief.common.steps import at_once
from lockstep.belief.state import State
from lockstep.facts.gang.gang import AcceptedGang
from lockstep.facts.gang.keys import is_room
from lockstep.snapshot.quotas.quota_bounds import Narrowed, QuotaBounds, QuotaShort
from lockstep.snapshot.snapshots import Rescue


class WithinQuotas(NamedTuple):
    """``gangs`` have no more members than quotas allow. The other gangs are ``refused``, or were passed to ``rescue``.

    ``narrowed`` says how quotas limit gangs.
    """

    gangs: list[AcceptedGang]
    narrowed: Mapping[GangKey, Narrowed]
    refused: list[Unplaceable]

    @property
    def short_namespaces(self) -> frozenset[str]:
        """The namespaces of the refused gangs.

        Refused room for later pods is left out: it is not kept, so it does not wait for quota.
        """
        return frozenset(one.gang.namespace for one in self.refused if not is_room(one.gang))


def within_quotas(state: State, gangs: Iterable[AcceptedGang], rescue: Rescue) -> WithinQuotas:
    """Apply quotas to each gang by itself. Gangs that share a quota compete for it only when they start."""
    return at_once(keeping_within_quotas(state, gangs, rescue))


def keeping_within_quotas(
    state: State, gangs: Iterable[AcceptedGang], rescue: Rescue
) -> Generator[None, None, WithinQuotas]:
    """Do the same as ``within_quotas``, in steps, one for each gang. The cache may change between steps."""
    bounds, found = QuotaBounds(state), WithinQuotas([], narrowed := {}, [])
    for gang in gangs:
        yield
        try:
            bound = bounds.bound(gang)
        except Exception as error:  # noqa: BLE001 - an error for one gang affects no other gang
            rescue(gang.key, error)
            continue
        if isinstance(bound, QuotaShort):
            fits_empty = None if bound.suits_without_others else False
            found.refused.append(Unplaceable(gang=gang.key, refusal=bound, fits_empty=fits_empty))
            continue
        found.gangs.append(bound.gang)
        if bound.narrowed is not None:
            narrowed[gang.key] = bound.narrowed
    return found
