"""Installing kinds of others, from the files that they publish."""

import json
from pathlib import Path

from e2e.controllers.module_folder import module_folder
from eventually import eventually
from sandbox import ApiError, Sandbox
from sandbox.binaries import Tool

KUSTOMIZATION = "kustomization.yaml"
POD_GROUPS_MODULE = "sigs.k8s.io/scheduler-plugins"
POD_GROUPS = Path("config/crd/bases/scheduling.x-k8s.io_podgroups.yaml")


def install_kinds(sandbox: Sandbox, source: Path) -> None:
    """Apply the kinds in a file or a folder, and return once all are served."""
    files = [source] if source.is_file() else [path for path in source.glob("*.yaml") if path.name != KUSTOMIZATION]
    # What they describe is larger than the annotation in which kubectl itself would remember it.
    command = ("apply", "--server-side", "--output=json", *(f"--filename={file}" for file in files))
    applied = json.loads(sandbox.kubectl(*command))
    for definition in applied.get("items", [applied]):
        for version in (one for one in definition["spec"]["versions"] if one["served"]):
            path = f"/apis/{definition['spec']['group']}/{version['name']}"
            eventually(
                lambda path=path, plural=definition["spec"]["names"]["plural"]: _is_served(sandbox, path, plural)
            )


def install_pod_groups(sandbox: Sandbox, tool: Tool) -> None:
    """Install the PodGroups of scheduler-plugins, in the version that the controller was built with."""
    install_kinds(sandbox, module_folder(tool, POD_GROUPS_MODULE) / POD_GROUPS)


def _is_served(sandbox: Sandbox, path: str, plural: str) -> bool:
    """Whether objects of a kind can be listed, and clients can find it: both may be so first."""
    try:
        sandbox.request("GET", f"{path}/{plural}?limit=1")
        found = sandbox.request("GET", path)["resources"]
    except ApiError:
        return False
    return any(one["name"] == plural for one in found)
