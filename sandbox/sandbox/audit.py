"""The API server's audit log: the requests of service accounts, as the server recorded them.

The log is outside the sandbox's folder, and stays when the sandbox is removed. So the logs of many sandboxes can be
read together.
"""

import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

POLICY = Path(__file__).with_name("audit-policy.yaml")
# By default, the server begins a new file after 100 MB. With this limit, a log is a single file.
LARGEST_LOG_MEGABYTES = 1_000_000


@dataclass(frozen=True, slots=True)
class AuditLog:
    """The log of one sandbox, over all starts of its API server."""

    file: Path

    @classmethod
    def begun_in(cls, folder: Path, *, name: str) -> Self:
        """Begin an empty log whose name no other sandbox has."""
        folder.mkdir(parents=True, exist_ok=True)
        handle, file = tempfile.mkstemp(prefix=f"{name}-", suffix=".jsonl", dir=folder)
        os.close(handle)
        return cls(Path(file))

    @property
    def flags(self) -> tuple[str, ...]:
        """The flags that make the API server write the log."""
        return (
            f"--audit-policy-file={POLICY}",
            f"--audit-log-path={self.file}",
            f"--audit-log-maxsize={LARGEST_LOG_MEGABYTES}",
        )

    def events(self) -> list[dict[str, Any]]:
        """Return the recorded requests, as `audit.k8s.io/v1` Events.

        A request may be recorded a moment after its answer.
        """
        whole, _, _ = self.file.read_bytes().rpartition(b"\n")
        return [json.loads(line) for line in whole.splitlines()]


def audit_folder(environ: Mapping[str, str] = os.environ) -> Path | None:
    """Return the folder for the audit logs of all sandboxes that the environment names; None if it names none."""
    named = environ.get("LOCKSTEP_SANDBOX_AUDIT")
    return Path(named) if named else None
