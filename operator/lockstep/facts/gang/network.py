"""The ways in which members of a gang find each other, by its spec."""

from dataclasses import dataclass
from enum import StrEnum

DEFAULT_PORT = 29_500


class Rendezvous(StrEnum):
    """The framework whose environment variables and files members get."""

    NONE = "None"
    TORCH = "Torch"
    MPI = "MPI"
    JAX = "JAX"


class Launcher(StrEnum):
    """The MPI implementation whose ``mpirun`` reads the host file."""

    OPEN_MPI = "OpenMPI"
    MPICH = "MPICH"
    INTEL = "Intel"


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkSpec:
    """The network of a GangJob.

    ``port`` is the port of the first worker, where members meet. With ``barrier_seconds``, no member starts before all
    are up. If this takes more than these seconds, the attempt is torn down.
    """

    rendezvous: Rendezvous = Rendezvous.NONE
    launcher: Launcher = Launcher.OPEN_MPI
    port: int = DEFAULT_PORT
    barrier_seconds: float | None = None
