"""The host file of ``mpirun`` in the format of each launcher, and the variables that point to it.

Hosts keep their domain, since they do not resolve without it. ``ssh`` tries again while a member runs but does not
listen yet.
"""

from collections.abc import Callable, Mapping

from lockstep.api.rendezvous.meeting import Meeting
from lockstep.facts.gang.network import Launcher

HOST_FILE = "/etc/mpi/hostfile"
_PATIENT = "-o ConnectionAttempts=10"

_VARIABLES: Mapping[Launcher, Mapping[str, str]] = {
    # The first three variables are for versions up to 4, and the others are for version 5 and later.
    Launcher.OPEN_MPI: {
        "OMPI_MCA_orte_default_hostfile": HOST_FILE,
        "OMPI_MCA_orte_keep_fqdn_hostnames": "true",
        "OMPI_MCA_plm_rsh_args": _PATIENT,
        "PRTE_MCA_prte_default_hostfile": HOST_FILE,
        "PRTE_MCA_prte_keep_fqdn_hostnames": "true",
        "PRTE_MCA_plm_ssh_args": _PATIENT,
    },
    Launcher.MPICH: {"HYDRA_HOST_FILE": HOST_FILE, "HYDRA_LAUNCH_EXTRA_ARGS": _PATIENT},
    Launcher.INTEL: {"I_MPI_HYDRA_HOST_FILE": HOST_FILE, "I_MPI_HYDRA_BOOTSTRAP_EXEC_EXTRA_ARGS": _PATIENT},
}

_LINES: Mapping[Launcher, Callable[[str, int], str]] = {
    Launcher.OPEN_MPI: lambda host, slots: f"{host} slots={slots}\n",
    Launcher.MPICH: lambda host, slots: f"{host}:{slots}\n",
    Launcher.INTEL: lambda host, slots: f"{host}:{slots}\n",
}


def variables(meeting: Meeting, _position: int) -> dict[str, str]:
    """The variables by which the launcher finds the host file.

    All members have the same variables, since any member may start ``mpirun``.
    """
    return dict(_VARIABLES[meeting.network.launcher])


def files(meeting: Meeting) -> Mapping[str, str]:
    """The host file: the members that do a part of the work, with their numbers of slots."""
    line = _LINES[meeting.network.launcher]
    return {HOST_FILE: "".join(line(meeting.hosts[position], meeting.slots[position]) for position in meeting.workers)}
