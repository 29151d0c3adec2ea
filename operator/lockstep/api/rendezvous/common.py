"""Variables and files for every member, whatever program it runs."""

from collections.abc import Mapping

from lockstep.api.rendezvous.meeting import Meeting

HOSTS_FILE = "/etc/lockstep/hosts"


def variables(meeting: Meeting, rank: int) -> dict[str, str]:
    """The member's rank among all, and in its role where the gang has roles."""
    return {
        "LOCKSTEP_SIZE": str(len(meeting.hosts)),
        "LOCKSTEP_RANK": str(rank),
        **_hosts(meeting),
        **_role(meeting, rank),
    }


def files(meeting: Meeting) -> Mapping[str, str]:
    """All members' hosts, one a line in rank order, where they are too many for a variable."""
    if meeting.has_short_list or not meeting.is_wanted:
        return {}
    return {HOSTS_FILE: "".join(f"{host}\n" for host in meeting.hosts)}


def _hosts(meeting: Meeting) -> dict[str, str]:
    if meeting.has_short_list:
        return {"LOCKSTEP_HOSTS": meeting.host_list}
    return {"LOCKSTEP_HOSTS_FILE": HOSTS_FILE} if meeting.is_wanted else {}


def _role(meeting: Meeting, rank: int) -> dict[str, str]:
    role = meeting.roles[rank]
    if not role:
        return {}
    return {
        "LOCKSTEP_ROLE": role,
        "LOCKSTEP_ROLE_RANK": str(meeting.role_ranks[rank]),
        "LOCKSTEP_ROLE_SIZE": str(meeting.role_sizes[role]),
    }
