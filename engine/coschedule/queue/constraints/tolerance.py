"""Which taints a list of tolerations covers, with the semantics of Kubernetes 1.36; a check takes four dict accesses.

Users may write long lists of taints and tolerations. So tolerations are grouped by key and effect once. If several
tolerations compare integers, only the widest bound is stored.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from coschedule.queue.constraints.requirements import is_beyond, taint_integer
from coschedule.queue.constraints.terms import Taint, Toleration


@dataclass(slots=True, eq=False)
class _Values:
    """The values that the tolerations of one key and one effect cover."""

    all: bool = False
    single: set[str] = field(default_factory=set)
    above: int | None = None
    below: int | None = None

    def cover(self, operator: str, value: str) -> None:
        """Add the values of one more toleration; an unknown operator covers none."""
        if operator == "Exists":
            self.all = True
        elif operator in ("", "Equal"):
            self.single.add(value)
        elif operator in ("Gt", "Lt") and (bound := taint_integer(value)) is not None:
            self._cover_beyond(operator, bound)

    def has(self, value: str) -> bool:
        """Whether a taint's value is covered."""
        return self.all or value in self.single or self._has_integer(value)

    def _cover_beyond(self, operator: str, bound: int) -> None:
        if operator == "Gt":
            self.above = bound if self.above is None else min(self.above, bound)
        else:
            self.below = bound if self.below is None else max(self.below, bound)

    def _has_integer(self, value: str) -> bool:
        bounds = [(name, bound) for name, bound in (("Gt", self.above), ("Lt", self.below)) if bound is not None]
        number = taint_integer(value) if bounds else None
        return number is not None and any(is_beyond(number, name, bound) for name, bound in bounds)


class Tolerance:
    """Decides which taints a list of tolerations covers."""

    def __init__(self, tolerations: Iterable[Toleration]) -> None:
        self._by_key: dict[tuple[str, str], _Values] = {}
        for key, operator, value, effect, _ in tolerations:
            values = self._by_key.get((key, effect))
            if values is None:
                values = self._by_key[key, effect] = _Values()
            values.cover(operator, value)

    def covers(self, taint: Taint) -> bool:
        """Whether one of the tolerations covers a taint; an empty key or effect matches any."""
        return any(values.has(taint.value) for values in self._about(taint))

    def _about(self, taint: Taint) -> Iterator[_Values]:
        for key in ("", taint.key):
            for effect in ("", taint.effect):
                values = self._by_key.get((key, effect))
                if values is not None:
                    yield values
