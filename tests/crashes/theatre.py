"""Crash points: every request of a gang's life, with something killed before it is sent or after it was answered."""

from collections.abc import Callable, Iterable, Sequence
from itertools import count
from pathlib import Path
from time import monotonic
from traceback import extract_tb
from typing import NamedTuple

from builders.manifests import foreign_pod
from crashes.checks import check_attempts, check_ranks
from crashes.stage import PATIENCE_SECONDS, Stage
from crashes.strikes import Strike
from eventually import eventually
from live.arena import Arena
from live.background import Background
from live.proxy import Asked, Moment, Proxy
from live.watching import watched_pods
from lockstep_demo.operator_process import OperatorProcess

Life = Callable[[Stage], None]
Choice = Callable[[Sequence[int]], Iterable[int]]
"""Which of the requests of a life, counted from 1, something is killed at."""

NUMBERS = count(1)
NEVER = 10**9
MEMBER_CPU = "1900m"
NODE_CPU = "4"
CALM_SECONDS = 3.0


class Point(NamedTuple):
    """Where something was killed."""

    number: int
    moment: Moment
    request: str


class Trap:
    """Counts requests about a gang that the stage counts; springs at one of them, once. ``asked`` has those so far."""

    def __init__(self, stage: Stage, strike: Strike, number: int, moment: Moment) -> None:
        self._stage = stage
        self._strike = strike
        self._number = number
        self._moment = moment
        self._asked_at = monotonic()
        self._is_first = True
        self.asked: list[Asked] = []
        self.sprung: Point | None = None

    def witness(self, asked: Asked, moment: Moment) -> bool:
        """Check a request; it does not go on where it is the one to be killed at."""
        if self._stage.name not in asked.text:
            return True
        self._asked_at = monotonic()
        if moment is Moment.AFTER:
            self._stage.saw(asked)
        elif self._is_first:
            self._is_first = False
            self._back_up()
        if not self._stage.is_counted(asked):
            return True
        if moment is Moment.BEFORE:
            self.asked.append(asked)
        if self.sprung or moment is not self._moment or not self._is_the_one(asked):
            return True
        self.sprung = Point(self._number, moment, f"{asked.verb} {asked.resource}")
        self._strike.strike()
        if self._strike.backup:
            self._stage.seen.begin_anew()
            self._stage.beginnings += 1
        return False

    def _back_up(self) -> None:
        if self._strike.backup:
            self._strike.backup.take()

    def _is_the_one(self, asked: Asked) -> bool:
        """Whether it is the n-th, by identity: another may be on its way beside it, and may read the same."""
        return len(self.asked) >= self._number and self.asked[self._number - 1] is asked

    def until_calm(self) -> None:
        """Wait until no request about the gang has come for a while, and what was struck is up again."""
        eventually(lambda: monotonic() - self._asked_at > CALM_SECONDS)
        self._strike.until_over()


class Theatre:
    """An operator behind a proxy, and an arena in which one gang after the other lives its life.

    Each gang fills the two nodes but for a foreign pod on each. A reservation that were left over would keep the next
    gang out.
    """

    def __init__(
        self, arena: Arena, proxy: Proxy, operator: OperatorProcess, background: Background, strike: Strike
    ) -> None:
        self._arena = arena
        self._proxy = proxy
        self._operator = operator
        self._background = background
        self._strike = strike
        self._foreign = self._put_foreign_pods()

    def crash(
        self, life: Life, moments: Iterable[Moment] = Moment, chosen: Choice = iter
    ) -> tuple[list[Point], list[str]]:
        """Live the life undisturbed, and once for every chosen crash point. Returns the points, and what broke."""
        trap, problem = self._live(life, NEVER, Moment.BEFORE)
        points, broken = [], [f"undisturbed: {problem}"] if problem else []
        for moment in moments:
            for number in chosen(range(1, len(trap.asked) + 1)):
                sprung, problem = self._live(life, number, moment)
                # A life may have a request less than the undisturbed one, where two were reported at once.
                points += [sprung.sprung] if sprung.sprung else []
                if problem:
                    broken.append(f"{sprung.sprung or number}: {problem}")
        return points, broken

    def _live(self, life: Life, number: int, moment: Moment) -> tuple[Trap, str]:
        name = f"heat{next(NUMBERS)}x"
        with watched_pods(self._arena.api, self._arena.namespace, self._background) as seen:
            stage = Stage(self._arena, name, seen, MEMBER_CPU)
            trap = Trap(stage, self._strike, number, moment)
            stage.until_calm = trap.until_calm
            self._proxy.witness = trap.witness
            problem = self._play(life, stage)
            self._proxy.reset()
            return trap, problem

    def _play(self, life: Life, stage: Stage) -> str:
        try:
            life(stage)
            self._strike.until_over()
            self._check_pods(stage)
            if self._strike.backup:
                # Else what was deleted would be there again.
                self._proxy.reset()
            stage.leave()
            self._check_pods(stage)
            self._check_nothing_is_held()
            self._check_foreign_pods()
        except AssertionError as error:
            problem = f"{error}, in {_where(error)}: {stage.summary()}"
            stage.leave()
            return problem
        return ""

    def _check_pods(self, stage: Stage) -> None:
        check_attempts(stage.seen)
        if not self._strike.backup:
            check_ranks(stage.seen, stage.rejoining)

    def _check_nothing_is_held(self) -> None:
        eventually(self._holds_nothing, seconds=PATIENCE_SECONDS)

    def _holds_nothing(self) -> bool:
        # Undoing asks too, so the trap may still spring.
        with self._strike.pause():
            return self._operator.is_ready() and self._operator.metrics()["lockstep_assumed_pods"] == 0

    def _put_foreign_pods(self) -> dict[str, str]:
        """One on each node, one of them with our labels but without an owner."""
        nodes = self._arena.add_nodes(2, cpu=NODE_CPU)
        for number, node in enumerate(nodes):
            pod = foreign_pod(f"foreign-{number}", node, cpu="200m")
            if number:
                pod["metadata"]["labels"] = {"lockstep.dev/gang": "heat", "lockstep.dev/attempt": "1"}
            self._arena.create(pod)
        return eventually(self._running_foreign_pods)

    def _check_foreign_pods(self) -> None:
        assert self._running_foreign_pods() == self._foreign, "a foreign pod was touched"

    def _running_foreign_pods(self) -> dict[str, str]:
        listed = self._arena.api.request("GET", f"{self._arena.core}/pods")["items"]
        pods = [pod for pod in listed if pod["metadata"]["name"].startswith("foreign-")]
        assert all(pod.get("status", {}).get("phase") == "Running" for pod in pods), "the foreign pods do not run yet"
        return {pod["metadata"]["uid"]: pod["metadata"]["resourceVersion"] for pod in pods}


def _where(error: AssertionError) -> str:
    """The line of the life, or of the checks after it, that was not passed."""
    lines = [
        frame.line or "" for frame in extract_tb(error.__traceback__) if Path(frame.filename).parent.name == "crashes"
    ]
    return lines[-1]
