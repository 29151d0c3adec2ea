"""What ``jax.distributed.initialize`` is told."""

from lockstep.api.rendezvous.meeting import Meeting


def variables(meeting: Meeting, rank: int) -> dict[str, str]:
    """The same coordinator for all; a process for those that do part of the work."""
    told = {
        "JAX_COORDINATOR_ADDRESS": f"{meeting.first_host}:{meeting.network.port}",
        "JAX_NUM_PROCESSES": str(len(meeting.workers)),
    }
    number = meeting.worker_number(rank)
    return told if number is None else told | {"JAX_PROCESS_ID": str(number)}
