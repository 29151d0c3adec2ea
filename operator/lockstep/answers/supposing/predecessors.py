"""Records the outcomes of the gangs for which a supposed gang would wait."""

from dataclasses import replace

from coschedule import GangKey
from lockstep.belief.state import State
from lockstep.facts.gang.keys import is_pod_gang


def record_predecessors(state: State, key: GangKey) -> None:
    """Record in the gang's status the outcomes of the gangs that it waits for, as the operator would."""
    gang = state.gangs[key]
    status = replace(gang.status, after=state.predecessors.recorded(gang))
    if status == gang.status:
        return
    if is_pod_gang(key):
        state.pod_gang_facts.apply(replace(state.pod_gangs.objects[key], status=status))
    else:
        state.apply_gang(replace(gang, status=status))
