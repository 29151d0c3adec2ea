"""One gang on a stage: what a user does to it from outside, and what the user sees of it."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from builders.manifests import gang, with_launcher
from eventually import eventually
from live.arena import Arena
from live.proxy import Asked
from live.watching import PodWatch
from sandbox import ApiError

SIZE = 2
# Terms on which a gang changes its size as soon as it may.
RESTART = {"mode": "Restart", "restartTime": "1s", "minInterval": "1s"}
MEMBERS = {**RESTART, "mode": "Members"}
# With the room of a dealer as much as a member of another gang has.
CPU_BESIDE_A_DEALER = "1800m"
# A crash in the wrong moment costs a back-off, a start and a look at the API server after a watch's silence.
PATIENCE_SECONDS = 90.0


class Stage:
    """Where one gang lives: an arena that it fills, and everything that an observer sees of its pods."""

    def __init__(self, arena: Arena, name: str, seen: PodWatch, cpu: str) -> None:
        self.arena = arena
        self.name = name
        self.seen = seen
        self.cpu = cpu
        self.when: dict[str, Callable[[], None]] = {}
        self.until_calm: Callable[[], None] = lambda: None
        # The gang of which members leave and join again, if there is one.
        self.rejoining = ""
        # At which requests about this gang something is killed.
        self.is_counted: Callable[[Asked], bool] = lambda _: True
        # How often the gang has begun its life: once more where time was turned back.
        self.beginnings = 1
        # What the operator has asked for this gang: verbs and resources.
        self.asked: set[tuple[str, str]] = set()
        # What a life makes beside GangJobs is taken away by these.
        self.taking_away: list[Callable[[], None]] = []
        self._others: list[str] = []

    def submit(
        self,
        *,
        size: int | tuple[int, int] = SIZE,
        finalizer: str | None = None,
        has_launcher: bool = False,
        cpu: str = "",
        **more: Any,
    ) -> None:
        """Submit the gang. If it ``has_launcher``, that is a member beside the ``size`` of its workers."""
        manifest = gang(self.name, size=size, cpu=cpu or self.cpu, **more)
        manifest = with_launcher(manifest) if has_launcher else manifest
        if finalizer:
            manifest["metadata"]["finalizers"] = [finalizer]
        self.arena.submit(manifest)

    def submit_another(self, suffix: str, **more: Any) -> str:
        """Submit a gang of the same size beside it; returns its name."""
        name = f"{self.name}-{suffix}"
        self._others.append(name)
        self.arena.submit(gang(name, size=SIZE, cpu=self.cpu, **more))
        return name

    def until(self, kind: str, status: str = "True", reason: str = "") -> None:
        """Wait for a condition."""
        self.arena.until(self.name, kind, status, reason, seconds=PATIENCE_SECONDS)

    def delete_once_bound(self) -> None:
        """Delete the gang right after the first of its members was bound, before the operator hears of it."""
        self.when["pods/binding"] = lambda: self.arena.delete_gang(self.name)

    def saw(self, asked: Asked) -> None:
        """A request of the operator's about this gang was carried out."""
        self.asked.add((asked.verb, asked.resource))
        act = None if "dryRun" in asked.text else self.when.pop(asked.resource, None)
        if act is not None:
            act()

    def until_gone(self) -> None:
        """Wait until neither the gang nor any of its pods is left."""
        self._until_gone(self.name)

    def until_deleting(self) -> None:
        """Wait until the gang has been deleted, by any process."""
        eventually(
            lambda: self.arena.is_gone(self.name) or "deletionTimestamp" in self._metadata(), seconds=PATIENCE_SECONDS
        )

    def summary(self) -> str:
        """What a reader wants to know where a life did not go on."""
        with suppress(ApiError):
            return "; ".join(self.arena.summary(name) for name in (self.name, *self._others))
        return "one of the gangs is gone"

    def leave(self) -> None:
        """Delete what is left of the gang and of those beside it."""
        for take_away in self.taking_away:
            take_away()
        for name in (self.name, *self._others):
            with suppress(ApiError):
                self.arena.delete_gang(name)
        with suppress(ApiError):
            path = f"{self.arena.gangs}/{self.name}"
            self.arena.api.request("PATCH", path, {"metadata": {"finalizers": None}})
        for name in (self.name, *self._others):
            self._until_gone(name)

    def _until_gone(self, name: str) -> None:
        eventually(lambda: self.arena.is_gone(name), seconds=PATIENCE_SECONDS)
        eventually(lambda: not self.arena.pods(name), seconds=PATIENCE_SECONDS)

    def _metadata(self) -> Mapping[str, Any]:
        with suppress(ApiError):
            found: Mapping[str, Any] = self.arena.gang(self.name)["metadata"]
            return found
        return {"deletionTimestamp": "gone"}
