"""The facts that a member of a sweep's run gets: environment variables, and a file with the run's parameters.

The kubelet writes the file from an annotation of the pod, so a run needs no object of its own.
"""

from lockstep.api.manifest import Manifest
from lockstep.api.members.mounts import with_volume
from lockstep.api.names import PARAMETERS_ANNOTATION
from lockstep.api.sweeps.run_marks import parameters_text
from lockstep.facts.runs.sweep_keys import sweep_name
from lockstep.facts.runs.sweep_run import SweepRun

VOLUME = "lockstep-run"
FOLDER = "/etc/lockstep-run"
PARAMETERS_FILE = f"{FOLDER}/parameters"
_FILE = {"path": "parameters", "fieldRef": {"fieldPath": f"metadata.annotations['{PARAMETERS_ANNOTATION}']"}}


def run_variables(run: SweepRun | None) -> dict[str, str]:
    """The variables with the sweep, the number of the run and its parameters; none for other gangs."""
    if run is None:
        return {}
    ours = {"LOCKSTEP_SWEEP": sweep_name(run.sweep), "LOCKSTEP_RUN": str(run.number)}
    if run.parameters:
        ours["LOCKSTEP_PARAMETERS_FILE"] = PARAMETERS_FILE
    # Kubernetes expands $(NAME) in values, and reads $$ as $.
    return ours | {name: value.replace("$", "$$") for name, value in run.parameters}


def run_annotations(run: SweepRun | None) -> dict[str, str]:
    """The annotation from which the kubelet writes the file; none without parameters."""
    return {PARAMETERS_ANNOTATION: parameters_text(run.parameters)} if run is not None and run.parameters else {}


def with_run_file(spec: Manifest, run: SweepRun | None) -> Manifest:
    """A pod's spec in which the containers have the file, if the run has parameters."""
    if run is None or not run.parameters:
        return spec
    return with_volume(spec, {"name": VOLUME, "downwardAPI": {"items": [_FILE]}}, [{"mountPath": FOLDER}])
