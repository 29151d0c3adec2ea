"""Variables for ``jax.distributed.initialize``."""

from lockstep.api.rendezvous.meeting import Meeting


def variables(meeting: Meeting, position: int) -> dict[str, str]:
    """The variables with the coordinator and the number of processes, and a process number for members that do work."""
    values = {
        "JAX_COORDINATOR_ADDRESS": f"{meeting.first_host}:{meeting.network.port}",
        "JAX_NUM_PROCESSES": str(len(meeting.workers)),
    }
    number = meeting.worker_number(position)
    return values if number is None else values | {"JAX_PROCESS_ID": str(number)}
