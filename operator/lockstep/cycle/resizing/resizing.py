"""The changes of size of gangs that run."""

from typing import NamedTuple

from lockstep.cycle.resizing.member_changes import MemberChanges
from lockstep.cycle.resizing.notices import Notices


class Resizing(NamedTuple):
    """Notices of changes in which all members end, and members that come and go while the others run."""

    notices: Notices
    members: MemberChanges
