"""The parameters of a sweep's runs: an immutable ConfigMap with comma-separated values, one line for each run.

The first line names the variables. Values with a comma or a quote are quoted as usual in CSV. No value has a line
break.
"""

import csv
from collections.abc import Sequence
from dataclasses import dataclass

from lockstep.api.manifest import Manifest
from lockstep.api.sweeps.run_marks import MOST_CHARACTERS, MOST_VARIABLES, characters_of_names, is_variable
from lockstep.facts.runs.sweep_run import MOST_RUNS, Parameters
from lockstep.facts.sweeps.sweep import SweepReason, SweepRefusal

KEY = "parameters.csv"
_HEADER_LINES = 1


@dataclass(frozen=True, slots=True)
class RunParameters:
    """The variables' names, and the lines of values.

    A line is parsed when its run is made. ``uid`` is the UID of the ConfigMap.
    """

    uid: str
    names: tuple[str, ...]
    lines: tuple[str, ...]

    def of(self, run: int) -> Parameters:
        """The parameters of a run."""
        return tuple(zip(self.names, _values(self.lines[run]), strict=True))


def read_parameters(config_map: Manifest) -> RunParameters | SweepRefusal:
    """The parameters of all runs; a refusal that names the line if they can't be used."""
    name = config_map["metadata"]["name"]
    try:
        return _read(config_map, name)
    except ValueError as error:
        return SweepRefusal(SweepReason.PARAMETERS_REFUSED, f"parametersFrom: ConfigMap {name} {error}.")


def _read(config_map: Manifest, name: str) -> RunParameters:
    if not config_map.get("immutable"):
        raise ValueError(
            "must be immutable, so that all runs use the same lines: "
            f"""kubectl patch configmap {name} --patch '{{"immutable": true}}'"""
        )
    text = (config_map.get("data") or {}).get(KEY)
    if text is None:
        raise ValueError(f"must have the key {KEY}")
    header, *lines = text.removesuffix("\n").replace("\r\n", "\n").split("\n")
    if not 1 <= len(lines) <= MOST_RUNS:
        raise ValueError(f"has {len(lines)} lines below its header, and a sweep has 1 to {MOST_RUNS} runs")
    names = _names(header)
    for number, line in enumerate(lines, start=1 + _HEADER_LINES):
        _check(number, line, names)
    return RunParameters(str(config_map["metadata"]["uid"]), names, tuple(lines))


def _names(header: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in _values(header))
    for name in names:
        if not is_variable(name):
            raise ValueError(
                f"has {name!r} in line 1; a variable must have a valid name that does not begin with LOCKSTEP_"
            )
    if len(set(names)) < len(names) or len(names) > MOST_VARIABLES:
        raise ValueError(f"must name each variable once in line 1, and {MOST_VARIABLES} at most")
    return names


def _check(number: int, line: str, names: Sequence[str]) -> None:
    """Raise ``ValueError`` unless the line is printable, not too long, and has a value for each name."""
    try:
        values = line.split(",") if line and '"' not in line else _values(line)
    except ValueError as error:
        raise ValueError(f"has a line {number} that {error}") from error
    # The line has only values, commas and quotes. So if the line is printable, all values are printable.
    if not line.replace("\t", "").isprintable():
        raise ValueError(f"has a character in line {number} that can't be printed")
    if len(values) != len(names):
        raise ValueError(f"has {len(values)} values in line {number}, and {len(names)} variables in line 1")
    if sum(map(len, values)) + characters_of_names(names) > MOST_CHARACTERS:
        raise ValueError(f"has more than {MOST_CHARACTERS} characters in line {number}, names included")


def _values(line: str) -> list[str]:
    """The values of a line. Raises ``ValueError`` if a quote is not closed."""
    try:
        return next(csv.reader([line], strict=True), [])
    except csv.Error as error:
        raise ValueError(f"can't be read: {error}") from error
