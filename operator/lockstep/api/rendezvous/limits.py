"""Limits the number of members that get a list of all members: their names must fit into one ConfigMap."""

from lockstep.api.common_objects import LARGEST_FILES
from lockstep.api.membership import LARGEST_ATTEMPT
from lockstep.api.rendezvous.meeting import host_of
from lockstep.facts.gang.gang import GangSpec, Refusal
from lockstep.facts.gang.network import Rendezvous
from lockstep.facts.reasons import Reason

_LINE_END = 1
# The most bytes for a blank, "slots=", the digits of any node's CPU count, and the end of the line.
_SLOTS = 14


def crowd_refusal(gang: str, spec: GangSpec) -> Refusal | None:
    """The refusal of a gang whose members' names do not fit into the ConfigMap.

    None if they fit, or if members get no list of members.
    """
    field = "network" if spec.network is not None else "elastic" if spec.keeps_members else None
    if field is None:
        return None
    most, is_mpi = spec.maximum, spec.network is not None and spec.network.rendezvous is Rendezvous.MPI
    longest = len(host_of(gang, LARGEST_ATTEMPT, most - 1))
    of_each = longest + _LINE_END + (longest + _SLOTS if is_mpi else 0)
    if most * of_each <= LARGEST_FILES:
        return None
    message = (
        f"{field}: give the gang a shorter name, or fewer members: the names of {most} members take up to "
        f"{most * of_each} bytes, and a ConfigMap holds at most {LARGEST_FILES}."
    )
    return Refusal(Reason.INVALID_SPEC, message)
