"""One mechanism of a paper, and where it is in Lockstep."""

from dataclasses import dataclass
from enum import StrEnum


class MechanismState(StrEnum):
    """Whether Lockstep has a mechanism of a paper."""

    WORKS = "on a cluster"
    """The operator uses it for gangs that run."""
    IN_PART = "in part"
    """The operator uses a part of it; ``Mechanism.where`` says what is missing."""
    ARITHMETIC = "as arithmetic"
    """The engine computes it, and no decision on a cluster depends on it."""
    ABSENT = "not there"
    """``Mechanism.where`` says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mechanism:
    """Something that the system of a paper does, or that an agent in it decides; not a definition or an experiment.

    ``place`` is the section of the paper, such as 3.2 or A.1. ``what`` is one sentence in our own words. ``where``
    names files, commands and fields in backquotes.
    """

    place: str
    what: str
    state: MechanismState
    where: str
