"""The priorities of gangs, from the PriorityClasses that they name."""

from collections.abc import Callable

from lockstep.api.names import ALLOWED_SIZING
from lockstep.facts.cluster.cluster import PriorityClass
from lockstep.facts.gang.gang import AcceptedGang, GangFact, Refusal
from lockstep.facts.reasons import Reason
from lockstep.facts.sizing import Sizing

# Without a class and without a default class, Kubernetes gives priority 0.
_NONE = PriorityClass(name="", value=0, is_default=True)


def _not_allowed(asked: Sizing, allowed: Sizing, of_class: PriorityClass) -> Refusal:
    whose = f"PriorityClass {of_class.name} has no" if of_class.name else "It has no PriorityClass with the"
    return Refusal(
        Reason.INVALID_SPEC,
        f"sizing: {asked} is not allowed, because it takes more from other gangs than {allowed}. {whose} annotation "
        f"{ALLOWED_SIZING}: {asked}.",
    )


class Priorities:
    """The PriorityClasses of the cluster. ``changed`` is called after each change.

    A gang may use the default ``sizing``, a sizing that takes less from other gangs, or a sizing that its class allows.
    """

    def __init__(self, changed: Callable[[], None], sizing: Sizing = Sizing.BALANCED) -> None:
        self._sizing = sizing
        self._changed = changed
        self._classes: dict[str, PriorityClass] = {}
        self._default = _NONE

    def apply(self, fact: PriorityClass) -> None:
        """Add or update a PriorityClass."""
        self._classes[fact.name] = fact
        self._choose_default()
        self._changed()

    def remove(self, name: str) -> None:
        """Remove a PriorityClass."""
        self._classes.pop(name, None)
        self._choose_default()
        self._changed()

    def of(self, gang: GangFact) -> int | None:
        """The gang's priority; ``None`` if it is refused, or its class does not exist."""
        if not isinstance(gang, AcceptedGang):
            return None
        known, most = self._class_of(gang), gang.spec.most_priority
        if known is None:
            return None
        return known.value if most is None else min(known.value, most)

    def name_of(self, gang: GangFact) -> str:
        """The name of the members' PriorityClass; '' for a refused gang, and if there is no such class."""
        known = self._class_of(gang) if isinstance(gang, AcceptedGang) else None
        return "" if known is None else known.name

    def value_of(self, name: str) -> int | None:
        """The priority of pods with the class of that name; '' stands for no class.

        None if the class does not exist.
        """
        known = self._classes.get(name) if name else self._default
        return None if known is None else known.value

    def preempts(self, gang: GangFact) -> bool:
        """Whether gangs of lower priority may be evicted for the gang."""
        if not isinstance(gang, AcceptedGang) or not gang.spec.preempts:
            return False
        known = self._class_of(gang)
        return known is not None and known.preempts

    def refusal(self, gang: AcceptedGang) -> Refusal | None:
        """Why the gang has no priority, or may not use its sizing; None otherwise."""
        known = self._class_of(gang)
        if known is None:
            name = gang.spec.priority_class
            return Refusal(Reason.UNKNOWN_PRIORITY_CLASS, f"priorityClassName: there is no PriorityClass {name}.")
        allowed = max(self._sizing, known.sizing or self._sizing, key=lambda one: one.greed)
        asked = gang.spec.sizing or self._sizing
        return _not_allowed(asked, allowed, known) if asked.greed > allowed.greed else None

    def _class_of(self, gang: AcceptedGang) -> PriorityClass | None:
        if not gang.spec.priority_class:
            return self._default
        return self._classes.get(gang.spec.priority_class)

    def _choose_default(self) -> None:
        defaults = [one for one in self._classes.values() if one.is_default]
        self._default = max(defaults, key=lambda one: (one.value, one.name), default=_NONE)
