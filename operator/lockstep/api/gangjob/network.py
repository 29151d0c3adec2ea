"""Parses the network of a GangJob."""

from lockstep.api.manifest import Manifest
from lockstep.api.quantities import duration_seconds
from lockstep.facts.gang.network import DEFAULT_PORT, Launcher, NetworkSpec, Rendezvous


def parse_network(spec: Manifest) -> NetworkSpec | None:
    """The network in the spec of a GangJob; None if it has none."""
    network = spec.get("network")
    if network is None:
        return None
    barrier = network.get("startBarrier")
    return NetworkSpec(
        rendezvous=Rendezvous(network.get("rendezvous", Rendezvous.NONE)),
        launcher=Launcher(network.get("launcher", Launcher.OPEN_MPI)),
        port=int(network.get("port", DEFAULT_PORT)),
        barrier_seconds=None if barrier is None else duration_seconds(barrier["timeout"]),
    )
