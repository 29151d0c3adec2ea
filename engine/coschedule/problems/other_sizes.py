"""Why a size was chosen: the best gangs of other sizes.

The nodes that limit a gang are in the gang itself: ``latest`` and ``slowest``.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from coschedule.model.numbers import Scalar

Gang = TypeVar("Gang")


@dataclass(frozen=True, slots=True, kw_only=True)
class Why(Generic[Gang]):
    """The best gangs of other allowed sizes; None if no gang has this size.

    ``runner_up`` is the best gang of all other sizes. ``one_fewer`` has one member less, and ``one_more`` has one
    member more. For pieces, these are nodes instead of members.
    """

    runner_up: Gang | None
    one_fewer: Gang | None
    one_more: Gang | None


def compare_sizes(
    chosen: int,
    *,
    smallest: int,
    largest: int,
    best: Callable[[int, int], Gang | None],
    rank: Callable[[Gang], tuple[Scalar, ...]],
) -> Why[Gang]:
    """Compare the ``chosen`` size with all others from ``smallest`` to ``largest``, by at most four calls of ``best``.

    ``best`` chooses among the sizes of a range; ``rank`` orders its results, lower first.
    """

    def within(low: int, high: int) -> Gang | None:
        return best(low, high) if low <= high else None

    fewer, more = within(smallest, chosen - 1), within(chosen + 1, largest)
    return Why(
        runner_up=min((other for other in (fewer, more) if other is not None), key=rank, default=None),
        one_fewer=within(max(smallest, chosen - 1), chosen - 1),
        one_more=within(chosen + 1, min(largest, chosen + 1)),
    )
