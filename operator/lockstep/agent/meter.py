"""The measuring half of the agent, behind two calls."""

from collections.abc import Collection
from pathlib import Path

from lockstep.agent.measured import Measured


class Meter:
    """Measures the node it runs on. Nothing that it reads can make it raise; what it cannot read is None.

    ``proc`` is the host's /proc, as every container has it. Everything else of the host is below ``root``, where a
    container has it mounted: ``sys/fs/cgroup``, and for the owner's presence ``run/systemd`` and ``dev``. The history
    is kept in the file ``history``, whose folder must exist, and is written at most once in five minutes.
    ``likely`` is the probability from which on the owner is expected.
    """

    def __init__(
        self, history: Path, *, root: Path = Path("/"), proc: Path = Path("/proc"), likely: float = 0.5
    ) -> None:
        raise NotImplementedError

    def sample(self, now: float, wall: float, gang_pods: Collection[str], *, others_requested: float = 0.0) -> None:
        """Look once; call it every ten seconds.

        ``now`` is monotonic, ``wall`` since the epoch, in seconds. ``gang_pods`` are the UIDs of the members of gangs
        on this node. ``others_requested`` are the cores that all its other pods have requested: the planner counts
        them as taken already, so what these pods use of them slows no member down.

        At idle moments, five times a day, a sample takes 50 ms of processor time longer: it measures the capacity.
        """
        raise NotImplementedError

    def measured(self, wall: float) -> Measured:
        """What is known, as of the last sample; before the first one, everything is None."""
        raise NotImplementedError

    def news(self) -> tuple[str, ...]:
        """Sentences for the log since the last call: a history that was dropped, and why, or could not be written."""
        raise NotImplementedError
