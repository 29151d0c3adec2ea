"""The work that an elastic gang has done when its members are asked to end, computed from its expected run time."""

from lockstep.facts.gang.gang import GangFact

# A gang that changes its size has at least this part of its work left, from 0 to 1.
_LEAST_REST = 1 / 1024
_DECIMALS = 6


def work_done(gang: GangFact, now: float) -> str:
    """The part of the work that is done at ``now``, as text: at earlier sizes and at this size together.

    The attempt works from its start to its expected finish. After a change of size, it first restarts, and then repeats
    the work that the change has lost; neither adds work. Before all members have run, nothing is added. If pieces are
    dealt while members run, only settled pieces count, so time adds nothing.
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

    Then its end is unknown, although the gang states its work.
    """
    status = gang.status
    if status.progress or status.expected_finish is None:
        return False
    return now >= status.expected_finish or status.done >= float(_text(1 - _LEAST_REST))


def _text(part: float) -> str:
    return f"{part:.{_DECIMALS}f}".rstrip("0").rstrip(".")
