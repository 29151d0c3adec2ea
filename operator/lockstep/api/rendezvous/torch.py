"""Variables for ``torch.distributed``, and variables that replace the options of ``torchrun``.

``torchrun`` uses a static rendezvous, so that the ranks of its workers follow the ranks of members. If members come and
go while others run, the agents of ``torchrun`` meet at the first worker after each change, and choose their ranks
themselves.
"""

from lockstep.api.rendezvous.meeting import Meeting


def variables(meeting: Meeting, position: int) -> dict[str, str]:
    """The variables with the address, which is the same for all members, and a rank for members that do work.

    If members may come and go, there are no ranks.
    """
    return _static(meeting, position) if meeting.changes is None else _elastic(meeting, position)


def _elastic(meeting: Meeting, position: int) -> dict[str, str]:
    """The variables of an agent if members come and go.

    One agent is the host where the others meet. Agents do not know their own names below the Service, so a variable
    says whether an agent is the host.
    """
    least, most = meeting.worker_range
    is_host = position == meeting.workers[0]
    return {
        "PET_NNODES": f"{least}:{most}",
        "PET_RDZV_BACKEND": "c10d",
        "PET_RDZV_ENDPOINT": f"{meeting.first_host}:{meeting.network.port}",
        "PET_RDZV_ID": f"{meeting.gang}-{meeting.attempt}",
        "PET_RDZV_CONF": f"is_host={str(is_host).lower()}",
    }


def _static(meeting: Meeting, position: int) -> dict[str, str]:
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
    number = meeting.worker_number(position)
    return values if number is None else values | dict.fromkeys(("RANK", "NODE_RANK", "PET_NODE_RANK"), str(number))
