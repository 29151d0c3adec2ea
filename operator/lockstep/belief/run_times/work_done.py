"""The work that an elastic gang has done when its members are asked to end, computed from its expected run time."""

from lockstep.facts.gang.gang import GangFact

# A gang that changes its size has at least this part of its work left, from 0 to 1.
_LEAST_REST = 1 / 1024
_DECIMALS = 6


def work_done(gang: GangFact, now: float) -> str:
    """The part of the work that is done at ``now``, as text: the part of earlier sizes, and that of this size.

    The attempt works from its start to its expected finish, but not in the restart time after a change of size. Then it
    repeats the work that it lost by the change. It adds nothing before all members have run. If pieces are dealt while
    members run, only settled pieces count, so time adds nothing.
    """
    status, spec = gang.status, gang.spec
    elastic = None if spec is None or spec.dealing is not None else spec.elastic
    if elastic is None or status.start is None or status.expected_finish is None or status.started_at is None:
        return status.work_done
    pause = elastic.restart_time + elastic.lost if status.resized_at == status.start else 0.0
    begins, ends = status.start + pause, status.expected_finish
    part = min(max((now - begins) / (ends - begins), 0.0), 1.0) if ends > begins else 0.0
    rest = max((1 - status.done) * (1 - part), _LEAST_REST)
    return _text(1 - rest)


def has_used_up_its_work(gang: GangFact, now: float) -> bool:
    """Whether the gang has run for longer than expected, at this size or an earlier one, and reports no progress.

    Then its end is unknown, although it states its work.
    """
    status = gang.status
    if status.progress or status.expected_finish is None:
        return False
    return now >= status.expected_finish or status.done >= float(_text(1 - _LEAST_REST))


def _text(part: float) -> str:
    return f"{part:.{_DECIMALS}f}".rstrip("0").rstrip(".")
