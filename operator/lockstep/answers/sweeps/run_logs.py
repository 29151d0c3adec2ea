"""Shows the logs of all runs of a sweep that have a GangJob, one run after the other."""

from coschedule import GangKey
from lockstep.answers.member_logs import LogEntry, LogsRequest, Show, show_logs
from lockstep.answers.reading.cluster import read_gangs
from lockstep.answers.reading.errors import AnswerError
from lockstep.answers.sweeps.reading import read_sweep
from lockstep.api.client.client import KubeClient
from lockstep.facts.runs.sweep_keys import sweep_name


async def show_run_logs(client: KubeClient, sweep: GangKey, request: LogsRequest, show: Show) -> bool:
    """Pass the logs of all runs that have a GangJob to ``show``; returns whether all of these logs were read.

    A notice before the logs of each run names the run. Raises ``AnswerError`` if there is no such sweep, or if no run
    has a GangJob.
    """
    found = await read_sweep(client, sweep)
    gangs = await read_gangs(client, sweep.namespace)
    runs = {one.run.number: one.key for one in gangs if one.run is not None and one.run.sweep_uid == found.uid}
    if not runs:
        why = found.status.summary or "the operator has not started this sweep."
        raise AnswerError(f"No run of GangSweep {sweep_name(sweep)} has a GangJob: {why}")
    results = [
        await _show_run(client, request._replace(gang=key), number, show) for number, key in sorted(runs.items())
    ]
    return all(results)


async def _show_run(client: KubeClient, request: LogsRequest, number: int, show: Show) -> bool:
    show(LogEntry(None, 0, "", None, f"Run {number}:"))
    try:
        return await show_logs(client, request, show)
    except AnswerError as error:
        show(LogEntry(None, 0, "", None, str(error)))
        return False
