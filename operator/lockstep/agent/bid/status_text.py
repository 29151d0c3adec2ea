"""The agent's report in the status of a bid: its fields and sentences."""

from collections.abc import Collection

from lockstep.agent.measuring.measured import Measured
from lockstep.api.nodebid.offer import AgentReport, Kept
from lockstep.api.times import rfc3339


def report_of(measured: Measured, *, wall: float, kept: Collection[Kept]) -> AgentReport:
    """The agent's report about a measurement."""
    return AgentReport(
        capacity_measured_at=measured.capacity_measured_at,
        processor=measured.processor,
        away_from=measured.available_from,
        away_until=measured.available_until,
        since=measured.since,
        until=wall,
        source=measured.source,
        message=" ".join(filter(None, (_found(measured), _left_out(kept)))),
    )


def nothing_known(wall: float) -> AgentReport:
    """The report until the operator has said which pods on the node are members of gangs."""
    message = "Nothing is measured yet: the operator has not said which pods here are members of gangs."
    return AgentReport(
        capacity_measured_at=None,
        processor="",
        away_from=None,
        away_until=None,
        since=None,
        until=wall,
        source="",
        message=message,
    )


def _found(measured: Measured) -> str:
    least = "at least " if measured.duty_cycle_is_lower_bound else ""
    parts = (
        "local work is not known yet"
        if measured.duty_cycle is None
        else f"local work delays members by {least}{measured.duty_cycle:.2f} s per second of work",
        "the speed is not known yet"
        if measured.capacity is None
        else f"the speed is {measured.capacity:.2f} times that of the reference node",
        *_pressure(measured),
        _owner(measured),
    )
    sentence = ", ".join(parts)
    return f"{sentence[0].upper()}{sentence[1:]}."


def _pressure(measured: Measured) -> tuple[str, ...]:
    """A clause with the share of the last five minutes in which a process waited for a processor.

    It is empty if the kernel does not report this share.
    """
    if measured.usage is None or measured.usage.cpu_pressure is None:
        return ()
    return (f"processes wait for a processor in {100 * measured.usage.cpu_pressure:.0f} % of the time",)


def _owner(measured: Measured) -> str:
    """A clause that says whether the node owner is present, and when the owner is likely to be away."""
    if measured.owner_present is None:
        return "it is not known whether the owner is there"
    said = "the owner is there" if measured.owner_present else "the owner is away"
    leaves, returns = measured.available_from, measured.available_until
    if leaves is None:
        return said if returns is None else f"{said}, likely until {rfc3339(returns)}"
    again = "" if returns is None else f" until {rfc3339(returns)}"
    if measured.owner_present:
        return f"{said}, likely until {rfc3339(leaves)}" + (again and f", then away{again}")
    return f"{said}, likely to be back within the hour, then away from {rfc3339(leaves)}{again}"


def _left_out(kept: Collection[Kept]) -> str:
    """A sentence that names each field that other programs have set; '' if there are none."""
    names = sorted({field.name for field in kept})
    if not names:
        return ""
    return f"Another program has set {', '.join(names)}: the agent does not change these fields or entries."
