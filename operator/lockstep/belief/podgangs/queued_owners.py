"""Owners that wait for a size in a queue of Kueue. The gangs that they would become take turns in plans."""

from collections import Counter, OrderedDict
from collections.abc import KeysView

from coschedule import GangKey
from lockstep.facts.gang.gang import AcceptedGang
from lockstep.facts.gang.sized_owner import SizedOwner


class QueuedOwners:
    """Owners by the names of the Gangs that they would have; these Gangs and their pods do not exist."""

    def __init__(self) -> None:
        self._owners: dict[GangKey, SizedOwner] = {}
        # The first gang of the first namespace has the next turn.
        self._gangs: OrderedDict[str, OrderedDict[GangKey, AcceptedGang]] = OrderedDict()
        self._untried: set[GangKey] = set()

    def apply(self, owner: SizedOwner) -> bool:
        """Add or update an owner, or remove it if it waits in no queue. Returns whether it has changed.

        After a change, the gang that the owner would become is unknown.
        """
        if not owner.is_queued:
            return self.remove(owner.gang, owner.uid)
        if self._owners.get(owner.gang) == owner:
            return False
        self._forget(owner.gang)
        self._owners[owner.gang] = owner
        return True

    def remove(self, gang: GangKey, uid: str) -> bool:
        """Forget an owner. Returns whether it was known."""
        known = self._owners.get(gang)
        if known is None or known.uid != uid:
            return False
        del self._owners[gang]
        self._forget(gang)
        return True

    def gangs(self) -> KeysView[GangKey]:
        """The names of the Gangs that the owners would have."""
        return self._owners.keys()

    def of(self, gang: GangKey) -> SizedOwner | None:
        """The owner that waits; None if there is none."""
        return self._owners.get(gang)

    def is_unknown(self, gang: GangKey) -> bool:
        """Whether an owner waits, and the gang that it would become is unknown."""
        return gang in self._owners and gang not in self._gangs.get(gang.namespace, ())

    def learn(self, owner: SizedOwner, gang: AcceptedGang) -> bool:
        """Record the gang that an owner would become, unless the owner has changed. Returns whether it was recorded."""
        if self._owners.get(owner.gang) != owner:
            return False
        self._gangs.setdefault(owner.gang.namespace, OrderedDict())[owner.gang] = gang
        self._untried.add(owner.gang)
        return True

    @property
    def any_known(self) -> bool:
        """Whether any gang is known."""
        return bool(self._gangs)

    @property
    def any_untried(self) -> bool:
        """Whether a gang has not had its turn since facts last changed."""
        return bool(self._untried)

    def try_again(self) -> None:
        """Give every gang a turn again, since facts have changed and it may fit now."""
        self._untried.update(*self._gangs.values())

    def take_turns(self, most: int) -> list[AcceptedGang]:
        """The gangs whose turn it is, ``most`` at most.

        Namespaces take turns. In each namespace, the gang whose last turn was longest ago is next. The number of steps
        is at most ``most`` squared, however many namespaces there are.
        """
        found, taken, finished = list[AcceptedGang](), Counter[str](), set[str]()
        while len(found) < most and len(finished) < len(self._gangs):
            namespace = next(iter(self._gangs))
            self._gangs.move_to_end(namespace)
            if namespace not in finished:
                found.append(self._next_of(namespace))
                taken[namespace] += 1
            if taken[namespace] == len(self._gangs[namespace]):
                finished.add(namespace)
        self._untried.difference_update(gang.key for gang in found)
        return found

    def _next_of(self, namespace: str) -> AcceptedGang:
        ones = self._gangs[namespace]
        key = next(iter(ones))
        ones.move_to_end(key)
        return ones[key]

    def _forget(self, gang: GangKey) -> None:
        self._untried.discard(gang)
        ones = self._gangs.get(gang.namespace)
        if ones is not None and ones.pop(gang, None) is not None and not ones:
            del self._gangs[gang.namespace]
