"""The changes of size of gangs that run."""

from typing import NamedTuple

from lockstep.cycle.resizing.member_changes import MemberChanges
from lockstep.cycle.resizing.notices import Notices
from lockstep.cycle.resizing.pod_gang_sizes import PodGangSizes


class Resizing(NamedTuple):
    """Notices of changes in which all members end, and members that come and go while the others run; of Gangs, too."""

    notices: Notices
    members: MemberChanges
    pod_gangs: PodGangSizes
