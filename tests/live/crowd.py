"""A crowd of GangJobs submitted at once, a tenth of them nonsense, and what becomes of them."""

import threading
import time
import urllib.error
import urllib.request
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Self

from builders.manifests import POOL_LABEL, gang
from lockstep_demo.operator_process import OperatorProcess
from sandbox import ApiError, Sandbox

SUBMITTERS = 8
PAGES = ("/healthz", "/readyz")
ASK_EVERY_SECONDS = 0.2
LATE_SECONDS = 1.0
# What the API server lets through, and what it refuses, in turn.
NONSENSE: tuple[Mapping[str, Any], ...] = (
    {"cpu": "-1"},
    {"cpu": "1e30"},
    {"priorityClassName": "missing"},
    {
        "pod": {
            "topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule"}]
        }
    },
    {"size": (3, 2)},
    {"work": {"serialTime": "nonsense"}},
)


@dataclass(slots=True, kw_only=True)
class Pages:
    """How the operator's pages answered: the slowest of each, how many took over a second, and every wrong answer."""

    asked: int = 0
    late: int = 0
    slowest: dict[str, float] = field(default_factory=lambda: dict.fromkeys(PAGES, 0.0))
    wrong: list[str] = field(default_factory=list)


class Asker:
    """Asks the pages again and again while the block runs."""

    def __init__(self, operator: OperatorProcess) -> None:
        self._operator = operator
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._ask, daemon=True)
        self.pages = Pages()
        self.most_bytes = 0

    def __enter__(self) -> Self:
        """Begin."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """End."""
        self._over.set()
        self._thread.join()

    def _ask(self) -> None:
        while not self._over.wait(ASK_EVERY_SECONDS):
            for page in PAGES:
                began = time.monotonic()
                try:
                    self._operator.page(page)
                except (urllib.error.URLError, OSError) as error:
                    self.pages.wrong.append(f"{page}: {error!r}")
                seconds = time.monotonic() - began
                self.pages.asked += 1
                self.pages.late += seconds > LATE_SECONDS
                self.pages.slowest[page] = max(self.pages.slowest[page], seconds)
            self.most_bytes = max(self.most_bytes, self._operator.resident_bytes())


class Crowd:
    """``count`` gangs, every tenth of them nonsense, submitted by several clients at once."""

    def __init__(self, api: Sandbox, namespace: str, count: int, *, pool: str, cpu: str = "1") -> None:
        self._api = api
        self._path = f"/apis/lockstep.dev/v1alpha1/namespaces/{namespace}/gangjobs"
        self._pool = pool
        self._cpu = cpu
        self.sound = [number for number in range(count) if number % 10]
        self.nonsense = [number for number in range(count) if not number % 10]
        self.refused_at_once = 0

    def submit(self) -> None:
        """Submit all."""
        everybody = sorted([*self.sound, *self.nonsense])
        with ThreadPoolExecutor(SUBMITTERS) as clients:
            shares = [clients.submit(self._submit, everybody[first::SUBMITTERS]) for first in range(SUBMITTERS)]
            self.refused_at_once = sum(share.result() for share in shares)

    def outcomes(self) -> Counter[str]:
        """How many gangs are how far; sound ones and nonsense apart."""
        found: Counter[str] = Counter()
        for one in self._all():
            number = int(one["metadata"]["name"].removeprefix("crowd-"))
            kind = "sound" if number % 10 else "nonsense"
            found[f"{kind} {_how_far(one)}"] += 1
        return found

    def is_over(self) -> bool:
        """Whether every sound gang has succeeded and all nonsense is refused or marked."""
        found = self.outcomes()
        so_far = f"so far {dict(found)}, {self.refused_at_once} refused at once"
        assert found["sound succeeded"] == len(self.sound), so_far
        assert found["nonsense marked"] + self.refused_at_once == len(self.nonsense), so_far
        return True

    def overtaken(self, *, seconds: float) -> int:
        """How many gangs started after one of their own size that came so much later."""
        by_size: dict[int, list[tuple[datetime, datetime]]] = defaultdict(list)
        for one in self._all():
            if _how_far(one) == "succeeded":
                created, started = one["metadata"]["creationTimestamp"], one["status"]["start"]
                by_size[one["spec"]["size"]["min"]].append((_time(created), _time(started)))
        later = timedelta(seconds=seconds)
        return sum(
            any(started > other_start for other_created, other_start in gangs if other_created >= created + later)
            for gangs in by_size.values()
            for created, started in gangs
        )

    def _submit(self, share: Sequence[int]) -> int:
        """Submit some of them over one connection; returns how many were refused."""
        refused = 0
        with self._api._client.connect(self._api.server) as connection:
            for number in share:
                try:
                    connection.request("POST", self._path, self._manifest(number))
                except ApiError:
                    refused += 1
        return refused

    def _manifest(self, number: int) -> dict[str, Any]:
        odd = NONSENSE[number // 10 % len(NONSENSE)] if number % 10 == 0 else {}
        how = {"size": 1 + number % 3, "cpu": self._cpu, "run_for": "100ms", "work": {"serialTime": "1s"}, **odd}
        pod = {"nodeSelector": {POOL_LABEL: self._pool}, **how.pop("pod", {})}
        return gang(f"crowd-{number}", pod=pod, **how)

    def _all(self) -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = []
        following = ""
        while True:
            page = self._api.request("GET", f"{self._path}?limit=500{following}")
            items += page["items"]
            if not page["metadata"].get("continue"):
                return items
            following = f"&continue={page['metadata']['continue']}"


def _how_far(one: Mapping[str, Any]) -> str:
    conditions = {c["type"]: c for c in (one.get("status") or {}).get("conditions") or ()}
    if conditions.get("Accepted", {}).get("status") == "False":
        return "marked"
    if conditions.get("Complete", {}).get("reason") == "Succeeded":
        return "succeeded"
    return str(conditions.get("Placed", {}).get("reason", "untold"))


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text)
