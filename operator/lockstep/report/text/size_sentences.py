"""Why a gang changes its size, in a clause with numbers."""

from coschedule import SizeChange
from lockstep.report.text.sentences import duration, n_members


def size_change(change: SizeChange, *, restart_time: float) -> str:
    """``grows from 4 to 9 members: ends 31 min sooner; the change takes about 2 min``."""
    size = len(change.nodes)
    verb, why = ("grows", "") if size > change.was else ("shrinks", ", so that other gangs end sooner")
    gain = change.end_before - change.end
    ends = f"ends {duration(abs(gain))} {'sooner' if gain >= 0 else 'later'}"
    takes = f"the change takes about {duration(restart_time)}"
    return f"{verb} from {change.was} to {n_members(size)}{why}: {ends}; {takes}"
