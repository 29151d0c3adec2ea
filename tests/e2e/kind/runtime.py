#!/usr/bin/python3
"""Docker's runtime for machines that do not grant all rights: runc, without rights that are not granted here.

A privileged container asks for CAP_SYS_RESOURCE and for limits above those of the machine; both would be refused.
"""

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

NOT_GRANTED = "CAP_SYS_RESOURCE"


def main(arguments: Sequence[str]) -> None:
    """Mend what the command is about to read, and become runc."""
    if "create" in arguments:
        mend(Path(option(arguments, "--bundle")) / "config.json")
    elif "exec" in arguments:
        mend(Path(option(arguments, "--process")))
    os.execvp("runc", ["runc", *arguments])  # noqa: S606 - it takes the place of this program


def option(arguments: Sequence[str], name: str) -> str:
    """Return what follows an option."""
    return arguments[arguments.index(name) + 1]


def mend(file: Path) -> None:
    """Take out of a container, or of a process in one, what is not granted."""
    described = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps(granted(described)), encoding="utf-8")


def granted(described: dict[str, Any]) -> dict[str, Any]:
    """Return what is left of the description."""
    process = described.get("process", described)
    process.pop("rlimits", None)
    for kind, names in process.get("capabilities", {}).items():
        process["capabilities"][kind] = [name for name in names if name != NOT_GRANTED]
    return described


if __name__ == "__main__":
    main(sys.argv[1:])
