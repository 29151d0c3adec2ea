"""The statuses of a gang whose members join or leave while the others run on.

Only one size counts at each moment: that of ``members``. Joining members count after all of them run.
"""

import math
from dataclasses import replace

from coschedule import ChangeTerms
from lockstep.belief.holding.ranked_members import RankedMembers
from lockstep.belief.holding.reservation import reserved_in_status
from lockstep.belief.run_times.work_done import work_done
from lockstep.facts.elastic import LastChange, NextSize
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.gang.status import GangStatus
from lockstep.facts.ranks import format_ranks
from lockstep.facts.reasons import Condition, Reason
from lockstep.report.status.attempt_marks import with_shrink
from lockstep.report.status.conditions import TRUE, with_condition, without_overrun
from lockstep.report.text.sentences import all_members, as_sentence
from lockstep.report.text.size_sentences import to_join

# The largest number that the API accepts.
_MOST_CHANGES = 2**31 - 1


def mark_joining(gang: GangFact, following: NextSize, *, now: float) -> GangStatus:
    """The status of a gang that members will join. It is written before any of their pods exists."""
    size = gang.status.size or 0
    status = replace(gang.status, next_size=following, member_changes=_counted(gang.status))
    says = f"{all_members(size, one='is bound', more='are bound')} {as_sentence(to_join(following.size - size))}"
    return with_condition(status, gang, Condition.PLACED, (TRUE, Reason.BOUND, says), now)


def mark_join_dropped(gang: GangFact, *, has_failed: bool, now: float) -> GangStatus:
    """The status of a gang that keeps its size: joining members that were created are deleted.

    The gang may not grow for a while, and for longer after a failure.
    """
    failed, changes = min(gang.status.failed_joins + has_failed, _MOST_CHANGES), _counted(gang.status)
    status = replace(gang.status, next_size=None, resized_at=now, member_changes=changes, failed_joins=failed)
    return _placed(status, gang, now)


def mark_joined(gang: GangFact, terms: ChangeTerms | None, *, now: float) -> GangStatus:
    """The status after all joining members run. ``terms`` are the terms of this change of size."""
    following, held = gang.status.joining_size, reserved_in_status(gang)
    assert following is not None, "a gang that members join has a next size"
    assert held is not None, "a gang that members join holds nodes"
    seconds = math.ceil(max(now - following.decided_at, 0.0))
    finish = _finish_with_more(gang, following, terms, now)
    status = _changed(gang, RankedMembers(held.members, held.gapped), finish, now)
    status = replace(status, last_change=LastChange(following.decided_at, seconds), failed_joins=0)
    return _placed(status, gang, now)


def mark_left(gang: GangFact, staying: RankedMembers, finish: float | None, why: str, *, now: float) -> GangStatus:
    """The status with only the ``staying`` members. Other members are asked to end after this status is written."""
    status = replace(_changed(gang, staying, finish, now), member_changes=_counted(gang.status))
    return with_shrink(_placed(status, gang, now), gang, why, now)


def _changed(gang: GangFact, members: RankedMembers, finish: float | None, now: float) -> GangStatus:
    """The status with these members. As after any change of size, the work that was done before counts as done.

    The gang gets another expected finish, so it does not overrun any more.
    """
    return replace(
        without_overrun(gang.status),
        members=members.members,
        ranks="" if members.gapped is None else format_ranks(members.gapped),
        size=sum(entry.count for entry in members.members),
        start=now,
        expected_finish=finish,
        effective_speedup=None,
        work_done=work_done(gang, now),
        next_size=None,
        resized_at=now,
    )


def _counted(status: GangStatus) -> int:
    """The number of changes of members, including this one. After the largest number of the API it restarts with 1."""
    return status.member_changes % _MOST_CHANGES + 1


def _placed(status: GangStatus, gang: GangFact, now: float) -> GangStatus:
    says = all_members(status.size or 0, one="is bound", more="are bound")
    return with_condition(status, gang, Condition.PLACED, (TRUE, Reason.BOUND, says), now)


def _finish_with_more(gang: GangFact, following: NextSize, terms: ChangeTerms | None, now: float) -> float | None:
    """The expected finish after members have joined. Until now the gang ran at its earlier size.

    When the change was decided, the time left was expected to shrink by a ratio. The time that is left now shrinks by
    the same ratio.
    """
    before, after = gang.status.expected_finish, following.expected_finish
    if before is None or after is None or before <= following.decided_at:
        return after
    pause = 0.0 if terms is None else terms.restart_time
    ratio = max(after - pause - following.decided_at, 0.0) / (before - following.decided_at)
    return now + pause + max(before - now, 0.0) * ratio
