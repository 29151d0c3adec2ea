"""The parts that change the size of running gangs."""

from typing import NamedTuple

from lockstep.cycle.resizing.member_changes import MemberChanges
from lockstep.cycle.resizing.notices import Notices
from lockstep.cycle.resizing.pod_gang_sizes import PodGangSizes


class Resizing(NamedTuple):
    """The parts that change sizes.

    ``notices``: changes in which all members end. ``members``: members that join or leave while the others run on.
    ``pod_gangs``: changes of Gangs.
    """

    notices: Notices
    members: MemberChanges
    pod_gangs: PodGangSizes
