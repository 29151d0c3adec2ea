"""Questions to ``lockstep`` from a user with rights to read and no others."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml
from click.testing import CliRunner, Result

from docs.markdown import ROOT, fences
from live.arena import BIDS, GANGS, Arena
from lockstep.api.names import REPORTING_CONTROLLER
from lockstep.cli import main

SECURITY = ROOT / "docs" / "security.md"
ASKER = "asker"
WRITTEN = ("/api/v1/pods", f"{GANGS}/gangjobs", BIDS, "/api/v1/services", "/api/v1/events")


@contextmanager
def asker_in(arena: Arena) -> Iterator[Path]:
    """A user with the rights that the documentation says, and with that of creating GangJobs in the arena."""
    [role] = [yaml.safe_load(one.text) for one in fences(SECURITY, "## Who may ask why")]
    subject = {"kind": "ServiceAccount", "name": ASKER, "namespace": arena.namespace}
    creator = {"apiGroups": ["lockstep.dev"], "resources": ["gangjobs"], "verbs": ["create"]}
    arena.api.apply(
        [
            {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": named(ASKER, arena.namespace)},
            role,
            rbac(
                "ClusterRoleBinding", f"asker-{arena.namespace}", None, refers("ClusterRole", "lockstep-asker", subject)
            ),
            rbac("Role", ASKER, arena.namespace, {"rules": [creator]}),
            rbac("RoleBinding", ASKER, arena.namespace, refers("Role", ASKER, subject)),
        ]
    )
    try:
        yield arena.api.kubeconfig_for_service_account(arena.namespace, ASKER)
    finally:
        arena.delete(f"/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/asker-{arena.namespace}")


def questions(arena: Arena, kubeconfig: Path) -> Callable[..., Result]:
    """Ask questions in the arena's namespace, and check that nothing has been written meanwhile."""

    def run(command: str, *arguments: str, stdin: str | None = None) -> Result:
        before = versions(arena)
        options = [f"--kubeconfig={kubeconfig}", f"--namespace={arena.namespace}"]
        done = CliRunner().invoke(main, [command, *arguments, *options], input=stdin)
        assert versions(arena) == before
        return done

    return run


def versions(arena: Arena) -> set[tuple[str, str | None, str]]:
    """What there is of all that could have been written, without the events of the operator, which it writes later."""
    return {
        (path, item["metadata"].get("namespace"), item["metadata"]["name"])
        for path in WRITTEN
        for item in arena.api.request("GET", path)["items"]
        if item["metadata"].get("namespace") in (arena.namespace, None)
        and item.get("reportingComponent") != REPORTING_CONTROLLER
    }


def named(name: str, namespace: str | None) -> dict[str, str]:
    """The metadata of an object, in a namespace or in none."""
    return {"name": name, **({"namespace": namespace} if namespace else {})}


def rbac(kind: str, name: str, namespace: str | None, fields: Mapping[str, Any]) -> dict[str, Any]:
    """A role, or a binding of one."""
    return {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": kind, "metadata": named(name, namespace), **fields}


def refers(kind: str, name: str, subject: Mapping[str, str]) -> dict[str, Any]:
    """What a binding gives to a subject."""
    return {"roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": name}, "subjects": [subject]}


def confined(arena: Arena, manifest: dict[str, Any]) -> dict[str, Any]:
    """The gang as the arena would submit it."""
    manifest["spec"]["template"]["spec"]["nodeSelector"] = {"lockstep.dev/test-pool": arena.pool}
    return manifest
