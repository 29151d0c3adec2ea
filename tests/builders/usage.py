"""Usages of a node's processors."""

from lockstep.agent.measuring.measured import Usage


def usage(*, at=0.0, gang=0.0, pods=0.0, host=0.0, steal=0.0, cores=8.0):
    """A usage in cores; what is not said is free."""
    return Usage(
        at=at,
        cores_total=cores,
        cores_gang=gang,
        cores_other_pods=pods,
        cores_host=host,
        steal=steal,
        free=cores - gang - pods - host - steal,
        cpu_pressure=None,
    )
