"""The steps of the demo and their times. No other file knows them."""

from collections.abc import Callable
from dataclasses import dataclass

from lockstep_demo.bids import LATE_NODE, LATE_SECONDS, LEAVING_NODE, LEAVING_SECONDS
from lockstep_demo.manifests import EXAMPLES, ROOT
from sandbox.control_plane import Sandbox

# The demo takes about 51 seconds, from the bids to the end of the last gang. This limit suffices for a slow machine,
# and ends a demo that hangs.
PATIENCE_SECONDS = 150.0
CROWDED_NODES = ("n02", "n04")
SCRATCH_NODES = ("n05", "n06", "n08")


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """An action of a user, ``at`` seconds after the bids were made. The log names the user as ``who``."""

    at: float
    who: str
    says: str
    does: Callable[[Sandbox], object] | None = None


def steps() -> list[Step]:
    """Return all steps, in the order of their times."""
    return [
        Step(
            at=0.0, who="other", says=f"Pods of another scheduler use half the CPUs of {' and '.join(CROWDED_NODES)}."
        ),
        _submits(0.5, "02-range.yaml"),
        _submits(2.5, "03-rigid.yaml"),
        _submits(4.5, "04-profile.yaml"),
        _submits(6.5, "09-crowded.yaml"),
        _submits(8.0, "06-waiting.yaml"),
        _submits(9.5, "07-without-work.yaml"),
        _submits(11.5, "08-priority.yaml"),
        _submits(22.0, "05-deadline.yaml"),
        Step(
            at=25.0,
            who="admin",
            says=f"$ kubectl label nodes {' '.join(SCRATCH_NODES)} example.com/scratch=fast",
            does=lambda sandbox: sandbox.kubectl("label", "nodes", *SCRATCH_NODES, "example.com/scratch=fast"),
        ),
        Step(at=LEAVING_SECONDS, who=LEAVING_NODE, says=f"The owner of {LEAVING_NODE} takes it back."),
        Step(
            at=35.0,
            who="other",
            says=f"The other scheduler's pods on {' and '.join(CROWDED_NODES)} are gone.",
            does=lambda sandbox: sandbox.kubectl("delete", "pods", "--selector=app=backup", "--wait=false"),
        ),
        Step(at=LATE_SECONDS, who=LATE_NODE, says=f"{LATE_NODE} is free from now on."),
    ]


def put_foreign_pods(sandbox: Sandbox) -> None:
    """Put pods of another scheduler on some nodes. Lockstep can't move these pods."""
    container = {
        "name": "backup",
        "image": "registry.k8s.io/pause:3.10",
        "resources": {"requests": {"cpu": "4", "memory": "1Gi"}},
    }
    sandbox.apply(
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": f"backup-{node}", "namespace": "default", "labels": {"app": "backup"}},
            "spec": {"nodeName": node, "schedulerName": "another", "containers": [container]},
        }
        for node in CROWDED_NODES
    )


def _submits(at: float, example: str) -> Step:
    path = EXAMPLES / example
    return Step(
        at=at,
        who="user",
        says=f"$ kubectl apply -f {path.relative_to(ROOT)}",
        does=lambda sandbox: sandbox.apply(path),
    )
