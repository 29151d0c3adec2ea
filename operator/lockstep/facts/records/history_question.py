"""Queries for records of gangs."""

from dataclasses import dataclass
from enum import StrEnum


class SumBy(StrEnum):
    """The property by which hours are summed."""

    NAMESPACE = "namespace"
    GROUP = "group"
    USER = "user"
    WEEK = "week"


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryQuestion:
    """A query for gangs that existed from ``since`` to ``until``, in seconds since 1970.

    The answer has a row for each gang. With ``losses``, it has a row for each loss. With ``by``, it has sums by this
    property. It has at most ``limit`` rows. Gangs must match all values that are not empty.
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
    """The records from which an answer may be made: those of one namespace, with or without its Gangs.

    Gangs of an earlier namespace of this name are left out: the namespace exists since ``made``, in seconds since 1970.
    """

    namespace: str
    made: int
    with_pod_gangs: bool
