"""What was worked out of single gangs, as long as it stands: many ask for it, again and again."""

from collections.abc import Callable, Hashable
from typing import Any, NamedTuple, TypeVar

from lockstep.facts.gang.gang import GangFact, GangSpec

Value = TypeVar("Value")


class _KnownAnswer(NamedTuple):
    spec: GangSpec | None
    stamp: Hashable
    value: Any


class Remembered:
    """Values for each gang, by its UID and by the question. A caller that forgets a gang forgets its values, too.

    Nothing is kept of a gang that is not there, as ``is_there`` has it. The last two answers to each question are kept:
    callers ask about the same gang with its spec as it is, and with one in which quotas narrow it.
    """

    def __init__(self, is_there: Callable[[GangFact], bool]) -> None:
        self._is_there = is_there
        self._known: dict[str, dict[Callable[..., Any], tuple[_KnownAnswer, ...]]] = {}

    def of(self, gang: GangFact, stamp: Hashable, question: Callable[..., Any], answer: Callable[[], Value]) -> Value:
        """What is known to answer the question about the gang, or the ``answer``, which is kept.

        It is known as long as the gang's spec is the same object as then, and the ``stamp`` an equal one.
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
        """The gang is gone."""
        self._known.pop(gang_uid, None)
