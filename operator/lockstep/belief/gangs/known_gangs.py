"""The gangs by name."""

from coschedule import GangKey
from lockstep.facts.gang.gang import GangFact


class KnownGangs(dict[GangKey, GangFact]):
    """The newest fact of each gang, with the effects of admission and of Kueue: plans use the gang as it is here."""

    def is_there(self, gang: GangFact) -> bool:
        """Whether this gang is in the cache, and not a later one of the same name."""
        return self.uid(gang.key) == gang.uid

    def uid(self, name: GangKey) -> str | None:
        """The UID of the gang of that name; None if there is none."""
        gang = self.get(name)
        return None if gang is None else gang.uid
