"""What an owner wants done when members fail, when some have succeeded, and as time passes."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

LONGEST_BACKOFF_SECONDS = 600.0
# So many doublings of the shortest back-off are beyond the longest.
_MOST_DOUBLINGS = 16


class Action(StrEnum):
    """What a failure policy does about a failure. ``IGNORE`` makes the gang anew, and counts nothing."""

    FAIL_GANG = "FailGang"
    RESTART_GANG = "RestartGang"
    IGNORE = "Ignore"


class ExitCodes(NamedTuple):
    """Which exit codes match, of the container of that name or of any; 0 never does."""

    container: str | None
    values: frozenset[int]
    is_inverted: bool

    def match(self, container: str, code: int) -> bool:
        """Whether that container's end is meant."""
        is_meant = self.container is None or self.container == container
        return is_meant and code != 0 and (code in self.values) != self.is_inverted


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """What to do about some failures: those of these exit codes, or with one of these (type, status) of conditions.

    ``roles``: whose failures are meant; empty for everybody's.
    """

    action: Action
    exit_codes: ExitCodes | None = None
    pod_conditions: frozenset[tuple[str, str]] = frozenset()
    roles: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class FailurePolicy:
    """What to do about members that fail: the first rule that matches wins, and without one the gang is restarted.

    ``keep_seconds``: how long the pods of a gang that has failed stay; as long as the gang does where it is ``None``.
    """

    max_restarts: int = 0
    backoff_seconds: float = 10.0
    rules: tuple[Rule, ...] = ()
    keep_seconds: float | None = None

    def pause_seconds(self, restarts: int) -> float:
        """How long a gang rests that has been restarted so often before."""
        return min(self.backoff_seconds * 2.0 ** min(restarts, _MOST_DOUBLINGS), LONGEST_BACKOFF_SECONDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Policies:
    """All that a GangJob says about its own life, whether the rest of it can be obeyed or not.

    ``success_role``: the gang has succeeded when all members of that role have; all members where it is ``None``.
    """

    failure: FailurePolicy = field(default_factory=FailurePolicy)
    success_role: str | None = None
    is_suspended: bool = False
    active_deadline_seconds: int | None = None
    ttl_seconds: int | None = None
