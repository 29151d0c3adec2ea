"""How the members of a gang find each other, as its owner wants it."""

from dataclasses import dataclass
from enum import StrEnum

DEFAULT_PORT = 29_500


class Rendezvous(StrEnum):
    """Whose variables and files members find."""

    NONE = "None"
    TORCH = "Torch"
    MPI = "MPI"
    JAX = "JAX"


class Launcher(StrEnum):
    """Whose ``mpirun`` reads the host file."""

    OPEN_MPI = "OpenMPI"
    MPICH = "MPICH"
    INTEL = "Intel"


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkSpec:
    """What a GangJob says about its network.

    ``port`` is that of the first worker, at which members meet. With ``barrier_seconds`` no member begins before all
    are up, and an attempt in which they are not after so many seconds is undone.
    """

    rendezvous: Rendezvous = Rendezvous.NONE
    launcher: Launcher = Launcher.OPEN_MPI
    port: int = DEFAULT_PORT
    barrier_seconds: float | None = None
