"""The marks of a GangJob that is a run of a sweep: its owner, its name and its annotations.

Any user may write these marks to a GangJob, whose members then get variables from them. So the parsed texts are
bounded.
"""

import re
from collections.abc import Sequence

from lockstep.api.manifest import Manifest, NewManifest
from lockstep.api.names import (
    API_VERSION,
    CREATED_BY_ANNOTATION,
    PARAMETERS_ANNOTATION,
    QUEUE_LABEL,
    RUN_ANNOTATION,
    SWEEP_KIND,
    SWEEP_LABEL,
)
from lockstep.facts.runs.sweep_keys import sweep_key, sweep_name
from lockstep.facts.runs.sweep_run import Parameters, SweepRun, run_name
from lockstep.facts.sweeps.sweep import Sweep

MOST_CHARACTERS = 4_096
"""The most characters of all parameters of a run, with their names."""
MOST_VARIABLES = 50
"""The most parameters of a run."""
_NUMBER = re.compile("0|[1-9][0-9]{0,3}")
_VARIABLE = re.compile("[A-Za-z_][A-Za-z0-9_]{0,127}")
_RESERVED = "LOCKSTEP_"


def parse_run(metadata: Manifest) -> SweepRun | None:
    """The run of a sweep to which a GangJob belongs, by its marks; None if it belongs to no run."""
    owner = sweep_owner(metadata)
    annotations = metadata.get("annotations") or {}
    number = annotations.get(RUN_ANNOTATION, "")
    if owner is None or not _NUMBER.fullmatch(number) or metadata["name"] != run_name(owner["name"], int(number)):
        return None
    return SweepRun(
        sweep=sweep_key(metadata["namespace"], owner["name"]),
        sweep_uid=str(owner["uid"]),
        number=int(number),
        parameters=_parameters(annotations.get(PARAMETERS_ANNOTATION, "")),
    )


def sweep_owner(metadata: Manifest) -> Manifest | None:
    """The owner reference of the sweep that controls the object; None if no sweep does."""
    for owner in metadata.get("ownerReferences") or ():
        if owner.get("controller") and (owner["apiVersion"], owner["kind"]) == (API_VERSION, SWEEP_KIND):
            return dict(owner)
    return None


def run_metadata(sweep: Sweep, number: int, parameters: Parameters) -> NewManifest:
    """The metadata of the GangJob of a run."""
    name = sweep_name(sweep.key)
    said = {PARAMETERS_ANNOTATION: parameters_text(parameters)} if parameters else {}
    if sweep.user:
        said[CREATED_BY_ANNOTATION] = sweep.user
    return {
        "name": run_name(name, number),
        "namespace": sweep.key.namespace,
        "labels": {SWEEP_LABEL: name, **({QUEUE_LABEL: sweep.queue} if sweep.queue else {})},
        "annotations": {RUN_ANNOTATION: str(number), **said},
        "ownerReferences": [
            {
                "apiVersion": API_VERSION,
                "kind": SWEEP_KIND,
                "name": name,
                "uid": sweep.uid,
                "controller": True,
                # True would require a right to the sweep's finalizers.
                "blockOwnerDeletion": False,
            }
        ],
    }


def parameters_text(parameters: Parameters) -> str:
    """The parameters as lines ``NAME=VALUE``."""
    return "".join(f"{name}={value}\n" for name, value in parameters)


def characters_of_names(names: Sequence[str]) -> int:
    """How many characters :func:`parameters_text` adds to the values of these names."""
    return sum(map(len, names)) + 2 * len(names)


def is_variable(name: str) -> bool:
    """Whether a parameter may have that name: it is a valid name of a variable, and does not begin with our prefix."""
    return _VARIABLE.fullmatch(name) is not None and not name.startswith(_RESERVED)


def _parameters(text: str) -> Parameters:
    """The parameters in an annotation; none if they are too long or invalid."""
    lines = [line.partition("=") for line in text.split("\n") if line] if len(text) <= MOST_CHARACTERS else []
    if len(lines) > MOST_VARIABLES or not all(is_variable(name) for name, _, _ in lines):
        return ()
    return tuple((name, value) for name, _, value in lines)
