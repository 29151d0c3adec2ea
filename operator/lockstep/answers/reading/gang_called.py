"""The names of GangJobs, Gangs and GangSweeps in messages of commands."""

from collections.abc import Iterable

from coschedule import GangKey
from lockstep.api.names import GANG_KIND, POD_GANG_KIND, SWEEP_KIND
from lockstep.facts.gang.keys import is_pod_gang, object_name
from lockstep.facts.runs.sweep_keys import is_sweep, sweep_name


def gang_called(gang: GangKey) -> str:
    """The kind and the name of a GangJob, a Gang or a GangSweep, for messages."""
    if is_sweep(gang):
        return f"{SWEEP_KIND} {gang.namespace}/{sweep_name(gang)}"
    kind = POD_GANG_KIND if is_pod_gang(gang) else GANG_KIND
    return f"{kind} {gang.namespace}/{object_name(gang)}"


def gang_typed(gang: GangKey) -> str:
    """The text by which a user names a GangJob, a Gang or a GangSweep in a command, such as gj/heat."""
    if is_sweep(gang):
        return gang.name
    return f"{'gang' if is_pod_gang(gang) else 'gj'}/{object_name(gang)}"


def gangs_of_owner_called(gang: GangKey, known: Iterable[GangKey]) -> list[str]:
    """The names of Gangs that a user may have meant when the user typed the name of a GangJob.

    These are Gangs with this name, and Gangs of owners with this name.
    """
    there = sorted(object_name(one) for one in known if is_pod_gang(one) and one.namespace == gang.namespace)
    return [f"gang/{name}" for name in there if gang.name in (name, name.partition(".")[2])]
