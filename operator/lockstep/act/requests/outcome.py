"""The outcomes of attempts."""

from dataclasses import dataclass
from enum import Enum, auto
from typing import assert_never

from lockstep.facts.gang.gang import Verdict
from lockstep.facts.pods.failure import Failure


class Ending(Enum):
    """How an attempt ended.

    ``NOT_RESERVED``: the gang has changed or is gone, or its nodes no longer have room. ``REFUSED``: the API server
    refused the reservation. ``UNDONE``: the attempt was torn down. ``BROKEN_OFF``: an error in the operator stopped it.
    """

    PLACED = auto()
    NOT_RESERVED = auto()
    REFUSED = auto()
    UNDONE = auto()
    BROKEN_OFF = auto()

    @property
    def is_failure(self) -> bool:
        """Whether the gang must wait before the next try."""
        match self:
            case Ending.REFUSED | Ending.UNDONE | Ending.BROKEN_OFF:
                return True
            case Ending.PLACED | Ending.NOT_RESERVED:
                return False
            case _:
                assert_never(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The outcome of an attempt.

    ``failure`` says why it was torn down. ``refusal`` is the API server's message if it refused the reservation.
    ``verdict`` is set if admission has changed or refused the members, and the attempt ended for this reason.
    """

    ending: Ending
    failure: Failure | None = None
    refusal: str = ""
    verdict: Verdict | None = None
