"""What people are told of a node: sentences, and what stands beside them in the bid's status."""

from collections.abc import Collection

from lockstep.agent.measured import Measured
from lockstep.api.offer import Kept, Report

_OWNER = {True: "the owner is there", False: "the owner is away", None: "whether the owner is there can't be seen"}


def report_of(measured: Measured, *, wall: float, kept: Collection[Kept]) -> Report:
    """What the bid's status says of the measurement."""
    return Report(
        capacity_measured_at=measured.capacity_measured_at,
        since=measured.since,
        until=wall,
        source=measured.source,
        message=" ".join(filter(None, (_found(measured), _left_out(kept)))),
    )


def nothing_known(wall: float) -> Report:
    """What it says as long as the operator has not said whose pods run on the node."""
    message = "Nothing is measured yet: the operator has not said which pods here are members of gangs."
    return Report(capacity_measured_at=None, since=None, until=wall, source="", message=message)


def _found(measured: Measured) -> str:
    least = "at least " if measured.duty_cycle_is_lower_bound else ""
    parts = (
        "local work is not known yet"
        if measured.duty_cycle is None
        else f"local work takes {least}{measured.duty_cycle:.2f} of what a member gets",
        "the speed is not known yet"
        if measured.capacity is None
        else f"the speed is {measured.capacity:.2f} of the reference",
        _OWNER[measured.owner_present],
    )
    sentence = ", ".join(parts)
    return f"{sentence[0].upper()}{sentence[1:]}."


def _left_out(kept: Collection[Kept]) -> str:
    """Names fields, each once."""
    names = sorted({field.name for field in kept})
    if not names:
        return ""
    return f"Somebody else has set {', '.join(names)}: that is left as it is, or in a list those entries."
