"""A cache of values that were computed for single gangs and are needed often."""

from collections.abc import Callable, Hashable
from typing import Any, NamedTuple, TypeVar

from lockstep.facts.gang.gang import GangFact, GangSpec

Value = TypeVar("Value")


class _KnownAnswer(NamedTuple):
    spec: GangSpec | None
    stamp: Hashable
    value: Any


class Remembered:
    """Values by the UID of the gang and by question. The caller has to :meth:`forget` gangs that are gone.

    No value is kept for a gang for which ``is_there`` is false. The last two values of each question are kept: callers
    ask with the gang's own spec, and with a spec that quotas have narrowed.
    """

    def __init__(self, is_there: Callable[[GangFact], bool]) -> None:
        self._is_there = is_there
        self._known: dict[str, dict[Callable[..., Any], tuple[_KnownAnswer, ...]]] = {}

    def of(self, gang: GangFact, stamp: Hashable, question: Callable[..., Any], answer: Callable[[], Value]) -> Value:
        """The kept answer to the question about the gang; if there is none, call ``answer`` and keep the result.

        A kept answer is valid while the gang's spec is the same object and ``stamp`` is equal.
        """
        known = self._known.get(gang.uid, {}).get(question, ())
        found = next((one for one in known if one.spec is gang.spec and one.stamp == stamp), None)
        if found is None:
            found = _KnownAnswer(gang.spec, stamp, answer())
            if self._is_there(gang):
                self._known.setdefault(gang.uid, {})[question] = (found, *known[:1])
        value: Value = found.value
        return value

    def forget(self, gang_uid: str) -> None:
        """Forget a gang that is gone."""
        self._known.pop(gang_uid, None)
