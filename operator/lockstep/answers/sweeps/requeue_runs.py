"""Asks the operator to repeat failed runs of a sweep, by an annotation, which the operator obeys once."""

import asyncio
from typing import assert_never
from uuid import uuid4

from coschedule import GangKey
from lockstep.answers.reading.cluster import answered
from lockstep.answers.reading.errors import AnswerError
from lockstep.answers.requeue import Waiting
from lockstep.answers.sweeps.reading import read_sweep
from lockstep.api.client import paths
from lockstep.api.client.client import KubeClient
from lockstep.api.sweeps.sweep import requeue_annotation
from lockstep.facts.ranks import format_ranks, parse_ranks, ranks_in
from lockstep.facts.runs.sweep_keys import sweep_name
from lockstep.facts.sweeps.run_ends import RunEnd, RunEnds
from lockstep.facts.sweeps.sweep import RequeueRequest, Sweep
from lockstep.report.text.sentences import duration

_POLL_SECONDS = 0.5


async def requeue_runs(client: KubeClient, key: GangKey, runs: str, *, within_seconds: float, waiting: Waiting) -> str:
    """Ask the operator to repeat these failed runs; returns a sentence that says what was done.

    ``runs`` is a text such as ``3,17-20``. Raises ``AnswerError`` if one of the runs has not failed, or if the operator
    has not handled the request within ``within_seconds``.
    """
    sweep, wanted = await read_sweep(client, key), parse_ranks(runs)
    _check(sweep, wanted)
    request = RequeueRequest(str(uuid4()), wanted)
    body = {"metadata": {"resourceVersion": sweep.resource_version, "annotations": requeue_annotation(request)}}
    with answered(client):
        answer = await client.patch(paths.sweep(key), body)
    if not answer.is_success:
        raise AnswerError(f"GangSweep {sweep_name(key)} can't be changed: {answer.message}.")
    try:
        async with asyncio.timeout(within_seconds):
            with waiting() as still_waiting:
                while (await read_sweep(client, key)).status.requeued != request.id:
                    still_waiting()
                    await asyncio.sleep(_POLL_SECONDS)
    except TimeoutError as error:
        raise AnswerError(
            f"GangSweep {sweep_name(key)} has the request, but the operator has not handled it after "
            f"{duration(within_seconds)}: does it run with --sweeps?"
        ) from error
    return f"{sweep_name(key)} repeats these failed runs: {format_ranks(wanted)}."


def _check(sweep: Sweep, wanted: int) -> None:
    """Raise ``AnswerError`` unless all of these runs have failed and the operator has handled any earlier request."""
    name, status = sweep_name(sweep.key), sweep.status
    if sweep.requeue is not None and sweep.requeue.id != status.requeued:
        raise AnswerError(f"The operator has not handled an earlier request for GangSweep {name} yet: try again.")
    if status.runs is None:
        why = status.summary or "the operator has not started this sweep. Does it run with --sweeps?"
        raise AnswerError(f"GangSweep {name} has no runs yet: {why}")
    ends = RunEnds.unpacked(status.run_ends, status.runs)
    for run in ranks_in(wanted):
        if run >= len(ends):
            raise AnswerError(f"GangSweep {name} has no run {run}: it has {len(ends)} runs, counted from 0.")
        _check_end(f"Run {run} of GangSweep {name}", ends.of(run), f"{name}-{run}")


def _check_end(called: str, end: RunEnd, gang: str) -> None:
    match end:
        case RunEnd.FAILED:
            return
        case RunEnd.SUCCEEDED:
            raise AnswerError(f"{called} has succeeded, and only failed runs can be repeated.")
        case RunEnd.NOT_YET:
            raise AnswerError(f"{called} has not ended. Requeue its GangJob instead: lockstep requeue gj/{gang}.")
        case _:
            assert_never(end)
