"""Helm without a cluster: what the chart makes of values."""

import os
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from sandbox.binaries import Resolver, Tool
from sandbox.progress import Silent

ROOT = Path(__file__).parents[2]
CHART = ROOT / "charts" / "lockstep"
VALUES_FILES = sorted((CHART / "ci").glob("*-values.yaml"))
NAMESPACE = "lockstep-system"
# What a cluster with the Prometheus operator would answer to `helm template`.
HAS_MONITORING = (
    "--api-versions=monitoring.coreos.com/v1/ServiceMonitor",
    "--api-versions=monitoring.coreos.com/v1/PrometheusRule",
)
# No cluster, and nothing of the user's own.
ENVIRONMENT = {"KUBECONFIG": "/dev/null"} | {f"HELM_{home}_HOME": "/nowhere" for home in ("CACHE", "CONFIG", "DATA")}

Manifest = dict[str, Any]


class RefusedError(Exception):
    """Helm does not render that; the text is what it wrote."""


class Objects:
    """What was rendered."""

    def __init__(self, manifests: list[Manifest]) -> None:
        self.all = manifests

    def names(self) -> set[str]:
        """Every object as kind/name."""
        return {f"{one['kind']}/{one['metadata']['name']}" for one in self.all}

    def kinds(self) -> set[str]:
        """Every kind, hooks aside."""
        return {one["kind"] for one in self.all if "helm.sh/hook" not in one["metadata"].get("annotations", {})}

    def one(self, kind: str, name: str | None = None) -> Manifest:
        """The only object of that kind that is the operator's and no hook, or of that kind and name."""
        [found] = [
            one
            for one in self.all
            if one["kind"] == kind and (one["metadata"]["name"] == name if name else not _is_aside(one))
        ]
        return found

    @property
    def pod(self) -> Manifest:
        """The spec of the operator's pods."""
        return self.one("Deployment")["spec"]["template"]["spec"]

    @property
    def container(self) -> Manifest:
        """The operator's container."""
        [container] = self.pod["containers"]
        return container


def _is_aside(manifest: Manifest) -> bool:
    """Whether an object is a hook, or belongs to the server of answers or the recorder."""
    metadata = manifest["metadata"]
    is_of_another = metadata.get("labels", {}).get("app.kubernetes.io/component") in {"answers", "record"}
    return is_of_another or "helm.sh/hook" in metadata.get("annotations", {})


def helm(*arguments: str, stdin: str = "") -> "subprocess.CompletedProcess[str]":
    """Run Helm."""
    command = [_program(), *arguments]
    environment = os.environ | ENVIRONMENT
    return subprocess.run(command, input=stdin, env=environment, capture_output=True, text=True, check=False)


def render(
    values: Manifest | Path | None = None,
    *options: str,
    release: str = "lockstep",
    chart: Path = CHART,
    kinds: bool = False,
) -> Objects:
    """What `helm template` makes of values; the large definitions of our kinds only where they are asked for."""
    return Objects(
        [one for one in load_all(render_text(values, *options, release=release, chart=chart, kinds=kinds)) if one]
    )


def render_text(
    values: Manifest | Path | None = None,
    *options: str,
    release: str = "lockstep",
    chart: Path = CHART,
    kinds: bool = False,
) -> str:
    """The same as text; raises ``RefusedError``."""
    given = values.read_text() if isinstance(values, Path) else yaml.safe_dump(values or {})
    shown = () if kinds else ("--set=crds.enabled=false",)
    done = helm(
        "template", release, str(chart), f"--namespace={NAMESPACE}", "--values=-", *shown, *options, stdin=given
    )
    if done.returncode != 0:
        raise RefusedError(done.stderr)
    return done.stdout


def load_all(text: str) -> list[Manifest]:
    """The documents of a text, read by the quick reader."""
    return list(yaml.load_all(text, Loader=yaml.CSafeLoader))


@cache
def _program() -> str:
    return str(Resolver.of_environment(Silent()).resolve(Tool.HELM).path)
