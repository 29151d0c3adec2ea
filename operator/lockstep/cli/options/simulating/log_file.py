"""Reads a log for a simulation, and prints which lines are invalid and which jobs are left out."""

from collections.abc import Iterator
from typing import IO

from lockstep.cli.options.answer_options import print_lines
from lockstep.report.text.sentences import n_nodes
from lockstep.simulation.scenario import Scenario
from lockstep.simulation.workload.swf import Log, read_log


def read_log_file(file: IO[str]) -> Log:
    """Read a log, and print which parts of it can't be used."""
    log = read_log(file)
    print_lines((f"{file.name}: {problem}" for problem in _problems(log)), err=True)
    return log


def print_too_large(name: str, log: Log, scenario: Scenario) -> None:
    """Print how many jobs of the log ``name`` ask for more nodes than the scenario has."""
    count = scenario.too_large
    if count:
        of_machine = "" if log.processors is None else f"; the machine of the log had {log.processors} processors"
        jobs = "job is" if count == 1 else "jobs are"
        print_lines(
            [f"{name}: {count} {jobs} too large for {n_nodes(scenario.nodes)}, and left out{of_machine}."], err=True
        )


def _problems(log: Log) -> Iterator[str]:
    for line in log.wrong:
        yield f"{line}; it is left out."
    more = log.wrong_lines - len(log.wrong)
    if more:
        yield f"{more} more lines are wrong, and left out."
    if log.unused:
        counts = ", ".join(f"{count} {lacking}" for lacking, count in sorted(log.unused.items()))
        yield f"jobs are left out: {counts}."
