"""An operator that hands records over, the recorder as a process of its own, and what is in its file."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from live.quick_start import Forked
from sandbox import Sandbox

RIGHTS = Path(__file__).parents[2] / "operator" / "rbac-record.yaml"
SYSTEM, ACCOUNT = "lockstep-system", "lockstep-record"
MAPS = f"/api/v1/namespaces/{SYSTEM}/configmaps?labelSelector=lockstep.dev%2Frecords%3Dtrue"
"""The ConfigMaps with records that the recorder has not taken yet."""


def handing_over(lease_seconds: int) -> tuple[str, ...]:
    """Options of an operator that hands records over. If it is killed, the next one leads after so many seconds."""
    return (
        *("--record=true", "--leader-elect=true", f"--leader-elect-resource-namespace={SYSTEM}"),
        f"--leader-elect-lease-duration={lease_seconds}s",
        f"--leader-elect-renew-deadline={lease_seconds - 2}s",
        "--leader-elect-retry-period=500ms",
    )


def started_recorder(cluster: Sandbox, database: Path) -> Forked:
    """Start a recorder on this file, with the rights of its own account; its log is beside the file."""
    kubeconfig = cluster.kubeconfig_for_service_account(SYSTEM, ACCOUNT)
    arguments = ["record", f"--namespace={SYSTEM}", f"--database={database}", f"--kubeconfig={kubeconfig}"]
    return Forked(arguments, database.with_suffix(".log"))


@contextmanager
def recording(cluster: Sandbox, database: Path) -> Iterator[None]:
    """Apply the recorder's rights, and record into this file while the block runs."""
    cluster.apply(RIGHTS)
    recorder = started_recorder(cluster, database)
    try:
        yield
    finally:
        recorder.kill()
        recorder.wait(60)


def rows_of_file(database: Path, query: str, *values: str) -> list[tuple[Any, ...]]:
    """What a query finds; nothing while there is no file."""
    try:
        with closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
            return connection.execute(query, values).fetchall()
    except sqlite3.OperationalError:
        return []
