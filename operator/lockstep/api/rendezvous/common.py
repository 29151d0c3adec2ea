"""Variables and files for every member, whatever program the member runs."""

from collections.abc import Mapping

from lockstep.api.rendezvous.meeting import Meeting

FOLDER = "/etc/lockstep"
HOSTS_FILE = f"{FOLDER}/hosts"
SIZE_FILE = f"{FOLDER}/size"
CHANGES_FILE = f"{FOLDER}/changes"


def variables(meeting: Meeting, position: int) -> dict[str, str]:
    """The variables with the size, the hosts and the member's rank.

    In a gang with roles, there are also variables with the role, its size, and the member's rank in it.
    """
    return {
        "LOCKSTEP_SIZE": str(len(meeting.hosts)),
        "LOCKSTEP_RANK": str(meeting.ranks[position]),
        **_hosts(meeting),
        **_role(meeting, position),
    }


def files(meeting: Meeting) -> Mapping[str, str]:
    """The file with all members' hosts, one per line in rank order.

    It exists if members need the list and it is too long for a variable, or if hosts may change. If hosts may change,
    further files have the number of members, and how often members have come or gone.
    """
    hosts = {HOSTS_FILE: "".join(f"{host}\n" for host in meeting.hosts)}
    if meeting.changes is not None:
        return {**hosts, SIZE_FILE: f"{len(meeting.hosts)}\n", CHANGES_FILE: f"{meeting.changes}\n"}
    return {} if meeting.has_short_list or not meeting.is_wanted else hosts


def _hosts(meeting: Meeting) -> dict[str, str]:
    short = {"LOCKSTEP_HOSTS": meeting.host_list} if meeting.has_short_list else {}
    has_file = meeting.changes is not None or (meeting.is_wanted and not short)
    return {**short, **({"LOCKSTEP_HOSTS_FILE": HOSTS_FILE} if has_file else {})}


def _role(meeting: Meeting, position: int) -> dict[str, str]:
    role = meeting.roles[position]
    if not role:
        return {}
    return {
        "LOCKSTEP_ROLE": role,
        "LOCKSTEP_ROLE_RANK": str(meeting.role_ranks[position]),
        "LOCKSTEP_ROLE_SIZE": str(meeting.role_sizes[role]),
    }
