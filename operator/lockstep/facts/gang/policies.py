"""A gang's policies: for its start, for members that fail or have succeeded, and for its time limits."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from lockstep.facts.gang.after import Predecessor

LONGEST_BACKOFF_SECONDS = 600.0
# After this number of doublings, each back-off is limited by the longest one.
_MOST_DOUBLINGS = 16


class Action(StrEnum):
    """The action of a failure policy after a failure. ``IGNORE`` restarts the gang without counting the restart."""

    FAIL_GANG = "FailGang"
    RESTART_GANG = "RestartGang"
    IGNORE = "Ignore"


class ExitCodes(NamedTuple):
    """Exit codes of the named container, or of any container if it is None.

    If it ``is_inverted``, all codes except ``values`` match. Exit code 0 never matches.
    """

    container: str | None
    values: frozenset[int]
    is_inverted: bool

    def match(self, container: str, code: int) -> bool:
        """Whether that exit code of that container matches."""
        is_meant = self.container is None or self.container == container
        return is_meant and code != 0 and (code in self.values) != self.is_inverted


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """An action for failures with these exit codes, or with one of these pod conditions as (type, status).

    The rule applies to members of ``roles``; to all members if ``roles`` is empty.
    """

    action: Action
    exit_codes: ExitCodes | None = None
    pod_conditions: frozenset[tuple[str, str]] = frozenset()
    roles: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class FailurePolicy:
    """What to do about members that fail: the first matching rule wins; if none matches, the gang is restarted.

    ``keep_seconds``: how long the pods of a failed gang are kept; ``None`` means as long as the gang exists.
    """

    max_restarts: int = 0
    backoff_seconds: float = 10.0
    rules: tuple[Rule, ...] = ()
    keep_seconds: float | None = None

    def pause_seconds(self, restarts: int) -> float:
        """The back-off in seconds before a restart, after that many ``restarts``."""
        return min(self.backoff_seconds * 2.0 ** min(restarts, _MOST_DOUBLINGS), LONGEST_BACKOFF_SECONDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Policies:
    """The policies of a gang. They count even if the rest of the spec is refused. A Gang has only ``after``.

    ``success_role``: the gang succeeds when all members of that role have succeeded; ``None`` means all members.
    ``after``: the gang starts only after these predecessors. ``queue``: the queue of Kueue that its label names; empty
    without one. ``awaits_quota``: why the gang may not run in this queue, as a sentence. Such a gang counts as
    suspended, whatever its spec says. The sentence is empty if the gang may run, or if Kueue does not decide about its
    suspension.
    """

    failure: FailurePolicy = field(default_factory=FailurePolicy)
    success_role: str | None = None
    is_suspended: bool = False
    active_deadline_seconds: int | None = None
    ttl_seconds: int | None = None
    after: tuple[Predecessor, ...] = ()
    queue: str = ""
    awaits_quota: str = ""
