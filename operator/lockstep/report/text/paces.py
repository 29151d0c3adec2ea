"""Describes the pace of a gang, in sentences with numbers."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from lockstep.facts.pods.pace import PaceStatus
from lockstep.report.text.sentences import n_members, node_ranges

_LONGEST = 1024


class PaceReasons(NamedTuple):
    """The reasons for the pace of a gang.

    ``slowest`` is the node that sets the pace, if all nodes have usable bids. ``without_bids`` are the nodes without a
    usable bid. The node owners of ``yielding`` nodes are back. ``obstacles`` counts members that can't be paced, by
    cause. ``refusal`` is the API server's last message about a refused resize; '' if there is none. With
    ``keeps_limits``, members keep their CPU limits, so they may use CPU that others leave idle.
    """

    slowest: str | None
    without_bids: Sequence[str]
    yielding: Sequence[str]
    obstacles: Mapping[str, int]
    refusal: str
    keeps_limits: bool = False


def pace_message(pace: PaceStatus, reasons: PaceReasons) -> str:
    """The message that says how many members are paced, because of which nodes, and why others are not paced."""
    cores = f"{pace.given_back / 1000:.1f} cores"
    effect = f"lowers requests by {cores}, and keeps limits" if reasons.keeps_limits else f"gives back {cores}"
    are = "is" if pace.paced == 1 else "are"
    paced = f"{pace.paced} of {n_members(pace.members)} {are} paced, which {effect}."
    return " ".join([paced, *_why(reasons)])[:_LONGEST]


def _why(reasons: PaceReasons) -> Iterator[str]:
    if reasons.without_bids:
        verb = "has" if len(reasons.without_bids) == 1 else "have"
        nodes = node_ranges(reasons.without_bids)
        yield f"No member is paced, since {nodes} {verb} no NodeBid that is readable and was renewed in time."
    elif reasons.slowest is not None:
        yield f"The slowest node is {reasons.slowest}."
    if reasons.yielding:
        owners, verb = ("owner", "is") if len(reasons.yielding) == 1 else ("owners", "are")
        yield f"The {owners} of {node_ranges(reasons.yielding)} {verb} back: members there have a tenth of their CPU."
    for why, count in reasons.obstacles.items():
        yield f"{n_members(count)} can't be paced: {why}."
    if reasons.refusal:
        yield f"Not all members could be resized: {reasons.refusal}."
