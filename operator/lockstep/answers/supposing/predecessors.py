"""What a supposed gang would wait for."""

from dataclasses import replace

from coschedule import GangKey
from lockstep.belief.state import State
from lockstep.facts.gang.keys import is_pod_gang


def record_predecessors(state: State, key: GangKey) -> None:
    """Have the gang know what has become of others that it names, as the operator would record it."""
    gang = state.gangs[key]
    status = replace(gang.status, after=state.predecessors.recorded(gang))
    if status == gang.status:
        return
    if is_pod_gang(key):
        state.pod_gang_facts.apply(replace(state.pod_gangs.objects[key], status=status))
    else:
        state.apply_gang(replace(gang, status=status))
