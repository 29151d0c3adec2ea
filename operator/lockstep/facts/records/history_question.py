"""What is asked of the records of gangs."""

from dataclasses import dataclass
from enum import StrEnum


class SumBy(StrEnum):
    """By what hours are summed."""

    NAMESPACE = "namespace"
    GROUP = "group"
    USER = "user"
    WEEK = "week"


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryQuestion:
    """A question about gangs that were there from ``since`` to ``until``, in seconds since 1970.

    The answer has a row for each gang, or for each loss, or sums ``by`` something; ``limit`` rows at most. Gangs are
    those with all of the values that are not empty.
    """

    since: int
    until: int
    by: SumBy | None = None
    losses: bool = False
    limit: int = 100
    user: str = ""
    sweep: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryScope:
    """The records that an answer may be made from: those of one namespace, with or without its Gangs.

    Gangs of a namespace that had this name before ``made``, in seconds since 1970, are not among them.
    """

    namespace: str
    made: int
    with_pod_gangs: bool
