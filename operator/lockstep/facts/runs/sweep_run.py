"""The run of a sweep to which a GangJob belongs, and the parameters of the run."""

from dataclasses import dataclass

from coschedule import GangKey

MOST_RUNS = 10_000
"""The most runs of a sweep: their numbers have at most four digits."""

Parameters = tuple[tuple[str, str], ...]
"""Names of variables, each with its value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepRun:
    """Run ``number`` of the ``sweep`` with the UID ``sweep_uid``; numbers begin at 0."""

    sweep: GangKey
    sweep_uid: str
    number: int
    parameters: Parameters = ()


def run_name(sweep: str, number: int) -> str:
    """The name of the GangJob of a run. Runs of different sweeps have different names, since numbers have no dash."""
    return f"{sweep}-{number}"
