"""Which run of a sweep a GangJob is, and the parameters of the run."""

from dataclasses import dataclass

from coschedule import GangKey

MOST_RUNS = 10_000
"""The most runs of a sweep: their numbers have four digits at most."""

Parameters = tuple[tuple[str, str], ...]
"""Names of variables with their values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepRun:
    """Run ``number`` of the ``sweep`` with the UID ``sweep_uid``; numbers begin at 0."""

    sweep: GangKey
    sweep_uid: str
    number: int
    parameters: Parameters = ()


def run_name(sweep: str, number: int) -> str:
    """The name of the GangJob of a run. No two runs of any sweeps share one, since numbers have no dash."""
    return f"{sweep}-{number}"
