"""Installing kinds of others, from the files that they publish."""

import json
from pathlib import Path
from typing import Any

from eventually import eventually
from sandbox import ApiError, Sandbox


def install_kinds(sandbox: Sandbox, source: Path) -> None:
    """Apply the kinds in a file or a folder, and return once all are served."""
    # What they describe is larger than the annotation in which kubectl itself would remember it.
    applied = json.loads(sandbox.kubectl("apply", "--server-side", "--output=json", f"--filename={source}"))
    for definition in applied.get("items", [applied]):
        for version in (one for one in definition["spec"]["versions"] if one["served"]):
            path = f"/apis/{definition['spec']['group']}/{version['name']}/{definition['spec']['names']['plural']}"
            eventually(lambda path=path: _is_served(sandbox, path))


def _is_served(sandbox: Sandbox, path: str) -> dict[str, Any]:
    try:
        return sandbox.request("GET", f"{path}?limit=1")
    except ApiError:
        return {}
