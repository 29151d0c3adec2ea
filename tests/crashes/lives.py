"""The lives of a gang, from its submission to its end, as somebody who waits for each step would see them.

Each is driven from outside and says what must hold when it is over; what happens to the operator meanwhile is not its
business.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from builders.manifests import failed_status, gang, quota
from eventually import eventually
from live.arena import Arena
from live.proxy import Asked
from live.watching import PodWatch
from sandbox import ApiError

SIZE = 2
FINALIZER = "example.com/keeps-it"
# A crash in the wrong moment costs a back-off, a start and a look at the API server after a watch's silence.
PATIENCE_SECONDS = 60.0


class Stage:
    """Where one gang lives: an arena that it fills, and everything that an observer sees of its pods."""

    def __init__(self, arena: Arena, name: str, seen: PodWatch, cpu: str) -> None:
        self.arena = arena
        self.name = name
        self.seen = seen
        self._cpu = cpu
        self.when: dict[str, Callable[[], None]] = {}
        self.until_calm: Callable[[], None] = lambda: None

    def submit(self, *, size: int = SIZE, finalizer: str | None = None, **more: Any) -> None:
        """Submit the gang."""
        manifest = gang(self.name, size=size, cpu=self._cpu, **more)
        if finalizer:
            manifest["metadata"]["finalizers"] = [finalizer]
        self.arena.submit(manifest)

    def until(self, kind: str, status: str = "True", reason: str = "") -> None:
        """Wait for a condition."""
        self.arena.until(self.name, kind, status, reason, seconds=PATIENCE_SECONDS)

    def delete_once_bound(self) -> None:
        """Delete the gang right after the first of its members was bound, before the operator hears of it."""
        self.when["pods/binding"] = lambda: self.arena.delete_gang(self.name)

    def saw(self, asked: Asked) -> None:
        """A request of the operator's about this gang was carried out."""
        act = self.when.pop(asked.resource, None)
        if act is not None:
            act()

    def until_gone(self) -> None:
        """Wait until neither the gang nor any of its pods is left."""
        eventually(lambda: self.arena.is_gone(self.name), seconds=PATIENCE_SECONDS)
        eventually(lambda: not self.arena.pods(self.name), seconds=PATIENCE_SECONDS)

    def until_deleting(self) -> None:
        """Wait until the gang has been deleted, by whoever does it."""
        eventually(
            lambda: self.arena.is_gone(self.name) or "deletionTimestamp" in self._metadata(), seconds=PATIENCE_SECONDS
        )

    def leave(self) -> None:
        """Delete what is left of the gang."""
        with suppress(ApiError):
            self.arena.delete_gang(self.name)
        with suppress(ApiError):
            path = f"{self.arena.gangs}/{self.name}"
            self.arena.api.request("PATCH", path, {"metadata": {"finalizers": None}})
        self.until_gone()

    def _metadata(self) -> Mapping[str, Any]:
        with suppress(ApiError):
            found: Mapping[str, Any] = self.arena.gang(self.name)["metadata"]
            return found
        return {"deletionTimestamp": "gone"}


def finish(stage: Stage) -> None:
    """Submitted, placed, run to its end."""
    stage.submit(run_for="200ms")
    stage.until("Complete", reason="Succeeded")
    assert stage.arena.status(stage.name)["attempt"] == 1
    assert len(stage.seen.uids(stage.name)) == SIZE, "every pod once"


def fail(stage: Stage) -> None:
    """Submitted, placed; one member fails, the other is ended."""
    stage.submit()
    stage.until("Placed")
    stage.arena.patch_pod_status(f"{stage.name}-1-0", {"phase": "Failed"})
    stage.until("Complete", reason="MemberFailed")
    eventually(lambda: len(stage.arena.pods(stage.name)) == 1)
    assert len(stage.seen.uids(stage.name)) == SIZE, "every pod once"


def undo(stage: Stage) -> None:
    """Refused by a quota at its last member, undone, and placed when the quota is gone."""
    here = len(stage.arena.api.request("GET", f"{stage.arena.core}/pods")["items"])
    limit = f"limit-{stage.name}"
    path = f"{stage.arena.core}/resourcequotas/{limit}"
    try:
        stage.arena.create(quota(limit, pods=str(here + SIZE - 1)))
        eventually(lambda: "used" in stage.arena.api.request("GET", path)["status"], seconds=PATIENCE_SECONDS)
        stage.submit(run_for="200ms")
        stage.until("Placed", "False", "QuotaExceeded")
        assert stage.seen.bound_at_once(stage.name) == {0}, "nobody was bound"
    finally:
        stage.arena.delete(path)
    stage.until("Complete", reason="Succeeded")


def delete_while_binding(stage: Stage) -> None:
    """Deleted when its first member was just bound."""
    stage.delete_once_bound()
    stage.submit()
    stage.until_deleting()
    stage.until_gone()


def delete_with_finalizer(stage: Stage) -> None:
    """Deleted when its first member was just bound, and kept by somebody's finalizer."""
    stage.delete_once_bound()
    stage.submit(finalizer=FINALIZER)
    stage.until_deleting()
    eventually(lambda: not stage.arena.pods(stage.name), seconds=PATIENCE_SECONDS)


def lose(stage: Stage) -> None:
    """Placed; somebody deletes a member; placed anew, whole."""
    stage.submit()
    eventually(lambda: "startedAt" in stage.arena.status(stage.name), seconds=PATIENCE_SECONDS)
    first = stage.seen.uids(stage.name)
    stage.arena.delete_pod(f"{stage.name}-1-{SIZE - 1}")
    eventually(lambda: stage.arena.status(stage.name)["attempt"] > 1, seconds=PATIENCE_SECONDS)
    stage.until("Placed")
    pods = stage.arena.pods(stage.name)
    assert len(pods) == SIZE
    assert not first & {pod["metadata"]["uid"] for pod in pods}


def restart(stage: Stage) -> None:
    """Placed; a member fails; made anew after a pause, whole, and that is counted once; ends well."""
    stage.submit(failurePolicy={"maxRestarts": 5, "backoff": "1s"})
    eventually(lambda: "startedAt" in stage.arena.status(stage.name), seconds=PATIENCE_SECONDS)
    stage.arena.patch_pod_status(f"{stage.name}-1-0", failed_status(3))
    eventually(lambda: stage.arena.status(stage.name)["attempt"] > 1, seconds=PATIENCE_SECONDS)
    stage.until("Placed")
    assert stage.arena.status(stage.name)["restarts"] == 1
    assert len(stage.arena.pods(stage.name)) == SIZE


def suspend_and_resume(stage: Stage) -> None:
    """Placed; suspended, so that nothing is left; resumed, and placed again."""
    stage.submit()
    eventually(lambda: "startedAt" in stage.arena.status(stage.name), seconds=PATIENCE_SECONDS)
    stage.arena.change_gang(stage.name, suspend=True)
    stage.until("Suspended")
    assert not stage.arena.pods(stage.name)
    stage.arena.change_gang(stage.name, suspend=False)
    stage.until("Placed")
    assert len(stage.arena.pods(stage.name)) == SIZE


def expire(stage: Stage) -> None:
    """Submitted, run to its end, and deleted at once."""
    stage.submit(run_for="200ms", ttlSecondsAfterFinished=0)
    stage.until_gone()
    assert len(stage.seen.uids(stage.name)) == SIZE, "every pod once"


def finish_again(stage: Stage) -> None:
    """Submitted, placed, run to its end; and once more where somebody has turned time back meanwhile."""
    stage.submit(run_for="200ms")
    stage.until("Complete", reason="Succeeded")
    stage.until_calm()
    stage.until("Complete", reason="Succeeded")
    phases = {pod["metadata"]["name"]: pod["status"]["phase"] for pod in stage.arena.pods(stage.name)}
    assert list(phases.values()) == ["Succeeded"] * SIZE, f"complete, and its members are {phases}"


LIVES: Mapping[str, Callable[[Stage], None]] = {
    life.__name__.replace("_", " "): life
    for life in (
        finish,
        fail,
        undo,
        delete_while_binding,
        delete_with_finalizer,
        lose,
        restart,
        suspend_and_resume,
        expire,
    )
}


def check_ranks(stage: Stage) -> None:
    """What holds of a gang's pods, but where time was turned back: an attempt's number is given twice there."""
    pods_by_name = Counter(pod.name for pod in stage.seen.ever.values() if pod.gang == stage.name)
    assert set(pods_by_name.values()) <= {1}, f"a rank of an attempt was there twice: {pods_by_name}"


def check_attempts(stage: Stage) -> None:
    """What holds of a gang's pods in every life, at every moment."""
    for pods in stage.seen.history:
        attempts = {pod.attempt for pod in pods.values() if pod.gang == stage.name}
        assert len(attempts) <= 1, f"pods of attempts {attempts} at once"
