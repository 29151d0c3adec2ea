"""Reads a GangSweep for a command."""

from coschedule import GangKey
from lockstep.answers.reading.cluster import answered
from lockstep.answers.reading.errors import AnswerError
from lockstep.api.client import paths
from lockstep.api.client.client import KubeClient
from lockstep.api.sweeps.sweep import parse_sweep
from lockstep.api.unreadable.unreadable_objects import describe
from lockstep.facts.runs.sweep_keys import sweep_name
from lockstep.facts.sweeps.sweep import Sweep


async def read_sweep(client: KubeClient, key: GangKey) -> Sweep:
    """The sweep of that key. Raises ``AnswerError`` if there is none, or if it can't be read."""
    with answered(client):
        answer = await client.get(paths.sweep(key))
    if answer.is_absence:
        raise AnswerError(f"There is no GangSweep {sweep_name(key)} in namespace {key.namespace}.")
    if not answer.is_success:
        raise AnswerError(f"GangSweep {sweep_name(key)} can't be read: {answer.message}.")
    try:
        return parse_sweep(answer.body)
    except Exception as problem:
        raise AnswerError(f"GangSweep {sweep_name(key)} can't be understood: {describe(problem)}.") from problem
