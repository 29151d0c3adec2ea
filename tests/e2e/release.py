"""A release of the chart in a cluster: installed, upgraded, its leader killed, and gone."""

from collections.abc import Sequence
from pathlib import Path

from e2e.cluster import OPERATOR, Cluster, Manifest

CHART = Path(__file__).parents[2] / "charts" / "lockstep"
VALUES = Path(__file__).with_name("values.yaml")
NAME = "lockstep"
NAMESPACE = OPERATOR
PODS = (
    "pods",
    f"--namespace={NAMESPACE}",
    "--selector=app.kubernetes.io/name=lockstep,app.kubernetes.io/component=operator",
)


class Release:
    """The release ``lockstep`` of a cluster; there is one at most.

    ``values``, each ``key=value``, go over those of values.yaml.
    """

    def __init__(self, cluster: Cluster, values: Sequence[str] = ()) -> None:
        self._cluster = cluster
        repository, _, tag = cluster.image.rpartition(":")
        self._options = (
            f"--namespace={NAMESPACE}",
            f"--values={VALUES}",
            f"--set=image.repository={repository},image.tag={tag}",
            *(f"--set={value}" for value in values),
            "--wait",
            f"--timeout={cluster.patience_seconds:.0f}s",
        )

    def install(self) -> None:
        """Install it, and return once its pods are ready."""
        self._cluster.helm("install", NAME, str(CHART), "--create-namespace", *self._options)

    def upgrade(self, *values: str) -> None:
        """Change values, each ``key=value``, and return once pods with these are ready and the others gone."""
        before = self.pod_names()
        self.upgrade_beside_the_operator(*values)
        self._cluster.until(lambda: not self.pod_names() & before)

    def upgrade_beside_the_operator(self, *values: str) -> None:
        """Change values that leave the operator's pods as they are; those of earlier upgrades count no longer."""
        self._cluster.helm("upgrade", NAME, str(CHART), *self._options, *(f"--set={value}" for value in values))

    def uninstall(self) -> None:
        """Uninstall it, and return once its pods are gone."""
        self._cluster.helm("uninstall", NAME, f"--namespace={NAMESPACE}", "--ignore-not-found", "--wait")
        self._cluster.until(lambda: not self.pods())

    def pods(self) -> list[Manifest]:
        """Return the operator's pods."""
        return self._cluster.items(*PODS)

    def pod_names(self) -> set[str]:
        """Return the names of the operator's pods."""
        return {pod["metadata"]["name"] for pod in self.pods()}

    def leader(self) -> str:
        """Return the name of the pod that leads, once one of those that are there does."""

        def probe() -> str:
            spec = self._cluster.get("lease", NAME, f"--namespace={NAMESPACE}")["spec"]
            name = str(spec.get("holderIdentity") or "").rpartition("_")[0]
            assert name in self.pod_names(), f"the lease names {name or 'no process'}"
            return name

        return str(self._cluster.until(probe))

    def kill(self, pod: str) -> None:
        """Delete a pod without giving it time to say anything."""
        self._cluster.kubectl("delete", "pod", pod, f"--namespace={NAMESPACE}", "--force", "--grace-period=0")
