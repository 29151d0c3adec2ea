"""All variables and files of a member: the common set, and the set of its program."""

from collections.abc import Callable, Mapping

from lockstep.api.rendezvous import common, jax, mpi, torch
from lockstep.api.rendezvous.meeting import Meeting
from lockstep.facts.gang.network import Rendezvous

_VARIABLES: Mapping[Rendezvous, Callable[[Meeting, int], dict[str, str]]] = {
    Rendezvous.NONE: lambda _meeting, _position: {},
    Rendezvous.TORCH: torch.variables,
    Rendezvous.MPI: mpi.variables,
    Rendezvous.JAX: jax.variables,
}


def variables(meeting: Meeting, position: int) -> dict[str, str]:
    """The variables of the member at that position."""
    return common.variables(meeting, position) | _VARIABLES[meeting.network.rendezvous](meeting, position)


def files(meeting: Meeting) -> dict[str, str]:
    """The files of every member, by path. Most gangs have none."""
    of_program = mpi.files(meeting) if meeting.network.rendezvous is Rendezvous.MPI else {}
    return {**common.files(meeting), **of_program}
