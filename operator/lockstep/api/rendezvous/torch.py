"""Variables for ``torch.distributed``, and for ``torchrun`` in place of its options.

``torchrun`` uses a static rendezvous, so that the ranks of its workers follow those of the members.
"""

from lockstep.api.rendezvous.meeting import Meeting


def variables(meeting: Meeting, rank: int) -> dict[str, str]:
    """The same address for all; a rank for members that do part of the work."""
    host, port, size = meeting.first_host, str(meeting.network.port), str(len(meeting.workers))
    values = {
        "MASTER_ADDR": host,
        "MASTER_PORT": port,
        "WORLD_SIZE": size,
        "PET_NNODES": size,
        "PET_MASTER_ADDR": host,
        "PET_MASTER_PORT": port,
        "PET_RDZV_BACKEND": "static",
        "PET_RDZV_ENDPOINT": f"{host}:{port}",
        "PET_RDZV_ID": f"{meeting.gang}-{meeting.attempt}",
    }
    number = meeting.worker_number(rank)
    return values if number is None else values | dict.fromkeys(("RANK", "NODE_RANK", "PET_NODE_RANK"), str(number))
