"""What is committed on every node: by existing pods, and by assumed members.

The ledger knows an existing pod by its UID, so another pod of the same name is distinct. An assumed member has no UID
yet: the ledger knows it by its membership. The pod that appears as this member takes its place, so the two never count
twice. Sums are updated with each pod, so a snapshot copies them instead of adding up 50,000 pods.
"""

from collections import Counter
from collections.abc import Generator, Mapping
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from coschedule import GangKey
from lockstep.belief.holding.sums import Columns, Rows, Sums
from lockstep.facts.pods.pod import Membership, PodFact, Request

_COMMITTED, _LASTING = 0, 1
_NOTHING: Mapping[tuple[str, Request], int] = MappingProxyType({})


class Charge(NamedTuple):
    """What one pod takes from a node. ``is_lasting``: the pod is not meant to end."""

    node: str
    request: Request
    is_lasting: bool
    member: Membership | None


class _Attempt(NamedTuple):
    """An attempt of a gang. The UID alone is not enough: pods of other namespaces may name it, too."""

    gang: GangKey
    gang_uid: str
    number: int


class Ledger:
    """Charges, and their sums ``committed[row of the node, column of the resource]`` in base units.

    Life of a charge: ``assume`` → ``confirm`` → ``release``. ``forget`` only ends an assumption that was not confirmed.
    """

    def __init__(self) -> None:
        self._seen: dict[str, Charge] = {}
        self._uids: dict[Membership, str] = {}
        self._assumed: dict[Membership, Charge] = {}
        self._assumed_of: Counter[_Attempt] = Counter()
        self._by_attempt: dict[_Attempt, dict[tuple[str, Request], int]] = {}
        self._marks: dict[_Attempt, int] = {}
        self._changes = 0
        self._sums = Sums(layers=2)

    @property
    def assumed(self) -> int:
        """The number of members that are assumed and not confirmed."""
        return len(self._assumed)

    def assumed_of(self, gang: GangKey, gang_uid: str, attempt: int) -> int:
        """The number of an attempt's members that are assumed and not confirmed."""
        return self._assumed_of.get(_Attempt(gang, gang_uid, attempt), 0)

    def charge(self, member: Membership) -> Charge | None:
        """The charge of that member; None if it has none."""
        uid = self._uids.get(member)
        return self._assumed.get(member) if uid is None else self._seen[uid]

    def charged(self, gang: GangKey, gang_uid: str, attempt: int) -> Mapping[tuple[str, Request], int]:
        """The number of an attempt's members by node and request."""
        return self._by_attempt.get(_Attempt(gang, gang_uid, attempt), _NOTHING)

    def mark(self, gang: GangKey, gang_uid: str, attempt: int) -> int:
        """A number that changes whenever the charges of the attempt's members change; 0 if there are none.

        No number is used again.
        """
        return self._marks.get(_Attempt(gang, gang_uid, attempt), 0)

    def assume(self, member: Membership, node: str, request: Request) -> None:
        """Count a member that is about to be bound. A member that is charged already stays as it is."""
        if self.charge(member) is None:
            self._assumed[member] = charge = Charge(node, request, is_lasting=False, member=member)
            self._assumed_of[_attempt_of(member)] += 1
            self._add(charge, +1)

    def confirm(self, pod: PodFact) -> bool:
        """Count a pod that a watch shows on a node. Returns whether that changes what is committed there."""
        charge = Charge(pod.node, pod.request, pod.lasting, pod.member)
        before = self._seen.get(pod.uid)
        if before == charge:
            return False
        assumption = None if pod.member is None else self._assumed.get(pod.member)
        self.release(pod.uid)
        self._enter(pod.uid, charge)
        known = before or assumption
        # If the pod was counted before it became that member, the pod and the assumption were both counted until now.
        was_twice = before is not None and assumption is not None
        return known is None or was_twice or (known.node, known.request) != (pod.node, pod.request)

    def release(self, uid: str) -> bool:
        """Stop counting a pod that is gone or has ended. Returns whether it was counted."""
        charge = self._seen.pop(uid, None)
        if charge is None:
            return False
        if charge.member is not None and self._uids.get(charge.member) == uid:
            del self._uids[charge.member]
        self._add(charge, -1)
        return True

    def forget(self, member: Membership) -> bool:
        """Stop counting a member that was only assumed. Returns whether it was counted."""
        charge = self._assumed.pop(member, None)
        if charge is None:
            return False
        attempt = _attempt_of(member)
        self._assumed_of[attempt] -= 1
        if not self._assumed_of[attempt]:
            del self._assumed_of[attempt]
        self._add(charge, -1)
        return True

    def is_taken(self, resource: str) -> bool:
        """Whether any of that resource is taken on any node."""
        return self._sums.has(_COMMITTED, resource)

    def rows(self, nodes: tuple[str, ...]) -> Rows:
        """The rows of these nodes in the sums, valid until the next call of ``drop_row``."""
        return self._sums.rows(nodes)

    def drop_row(self, node: str) -> None:
        """Free the row of a node that is gone. No caller may use that row any more."""
        self._sums.drop_row(node)

    def columns(self, resources: tuple[str, ...]) -> Columns:
        """The columns of these resources in the sums, valid until the next call."""
        return self._sums.columns(resources)

    def opening_columns(self, resources: tuple[str, ...]) -> Generator[None, None, None]:
        """Make the columns of these resources in steps; a later call of ``columns`` finds most of them."""
        return self._sums.opening(resources)

    def committed(self, rows: Rows, columns: Columns) -> NDArray[np.int64]:
        """A copy of the sums: ``[n, r]`` for node ``rows[n]`` and resource ``columns[r]``, at most ``LARGEST_SUM``."""
        return self._sums.take(_COMMITTED, rows, columns)

    def lasting(self, rows: Rows, columns: Columns) -> NDArray[np.int64]:
        """The sums as in ``committed``, but only over pods that are not meant to end."""
        return self._sums.take(_LASTING, rows, columns)

    def _enter(self, uid: str, charge: Charge) -> None:
        if charge.member is not None:
            self.forget(charge.member)
            self._uids[charge.member] = uid
        self._seen[uid] = charge
        self._add(charge, +1)

    def _add(self, charge: Charge, sign: int) -> None:
        self._sums.add(_COMMITTED, charge.node, charge.request, sign)
        if charge.is_lasting:
            self._sums.add(_LASTING, charge.node, charge.request, sign)
        if charge.member is not None:
            self._count(charge.member, (charge.node, charge.request), sign)

    def _count(self, member: Membership, taken: tuple[str, Request], sign: int) -> None:
        attempt = _attempt_of(member)
        counts = self._by_attempt.setdefault(attempt, {})
        counts[taken] = counts.get(taken, 0) + sign
        self._changes += 1
        self._marks[attempt] = self._changes
        if not counts[taken]:
            del counts[taken]
            if not counts:
                del self._by_attempt[attempt]
                del self._marks[attempt]


def _attempt_of(member: Membership) -> _Attempt:
    return _Attempt(member.gang, member.gang_uid, member.attempt)
