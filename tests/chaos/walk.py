"""The random walk: from a seed to steps. It reads nothing but its own memory: the same seed, the same walk."""

import random
from collections.abc import Callable, Iterator
from typing import Any

from chaos.job_steps import OWNER_BACK, JobSteps
from chaos.proxy import OPENING_FAULTS, REQUEST_FAULTS, WATCH_FAULTS
from chaos.script import Step
from chaos.set_steps import SetSteps

WRITES = (
    *("PATCH gangjobs/status", "POST pods", "POST pods/binding", "DELETE pods", "POST events", "POST *", "PATCH *"),
    *("PATCH gangs/status", "POST gangs", "PATCH jobs", "POST pods/eviction"),
)
READS = ("GET pods", "GET gangjobs", "GET nodes", "GET nodebids", "GET gangs", "GET jobs", "GET *")
WATCHED = ("pods", "nodes", "gangjobs", "nodebids", "priorityclasses", "gangs", "jobs", "*")
NODES = tuple(f"node{number}" for number in range(8))
QUANTITIES = ("-1", "9300000000000000", "1e30", "1e1000000", "9223372036854775807", "0.0000000001", "1E18")
TIMES = ("2026-01-01t00:00:00z", "0000-01-01T00:00:00Z", "2026-01-01T00:00:00+99:00", "9999-12-31T23:59:59Z")
POLICIES: tuple[dict[str, Any], ...] = (
    {},
    {},
    {"failurePolicy": {"maxRestarts": 2, "backoff": "1s"}},
    {"failurePolicy": {"rules": [{"action": "Ignore", "onPodConditions": [{"type": "Ready", "status": "True"}]}]}},
    {"ttlSecondsAfterFinished": 1},
    {"activeDeadlineSeconds": 3},
    {"suspend": True},
)
ELASTIC = {"restartTime": "1s"}
# Plans want a change for two seconds before it begins: only the longer one keeps gangs from a change.
LEAST_INTERVALS = ("1s", "8s")
# So many members an elastic gang may have beyond its least: one of them fills three nodes.
ELASTIC_RANGE = 24
# How many steps have trouble between them, before some have none.
WILD_STEPS = 100
# So many nodes serve gangs at that time, few enough to be full.
QUIET_NODES = 4
# In so many steps a gang gets somewhere, also on a busy machine.
QUIET_STEPS = 40
MOST_GANGS = 12
MOST_FOREIGN = 8


class Walk:
    """Steps without end. ``can_restart``: the API server is killed too, now and then."""

    def __init__(self, seed: int, *, can_restart: bool) -> None:
        self._random = random.Random(seed)  # noqa: S311 - chance is all it is for
        self._jobs = JobSteps(self._random)
        self._sets = SetSteps(self._random)
        self._gangs: list[str] = []
        # The numbers of members that an elastic gang may have, by name.
        self._sizes: dict[str, range] = {}
        self._foreign: list[str] = []
        self._number = 0
        self._kinds: dict[Callable[[], Step], float] = {
            self._fault: 40,
            self._calm: 1.5,
            self._submit: 12,
            self._submit_urgent: 6,
            self._delete_gang: 5,
            self._jobs.submit: 5,
            self._jobs.delete: 1.5,
            self._jobs.delete_gang: 1.5,
            self._jobs.lose_node: 3,
            self._sets.submit: 3,
            self._sets.delete: 1.5,
            self._sets.say_undo: 1.5,
            self._sets.lose_node: 3,
            self._suspend: 5,
            self._ask_for_size: 3,
            self._report_progress: 2,
            self._measure_speed: 2,
            self._change_node: 9,
            self._bid: 4,
            self._foreign_pod: 4,
            self._take_member: 3,
            self._limits: 2.5,
            self._poison: 3,
            self._kill_operator: 0.7,
            self._drop_watches: 1,
            self._kill_api_server: 0.3 if can_restart else 0,
        }

    def __iter__(self) -> Iterator[Step]:
        """Go on for ever."""
        kinds, weights = list(self._kinds), list(self._kinds.values())
        while True:
            for _ in range(WILD_STEPS):
                yield self._random.choices(kinds, weights)[0]()
            yield from self._quiet_time()

    def _quiet_time(self) -> Iterator[Step]:
        """Trouble would keep most elastic gangs from running for long enough to shrink for an urgent one."""
        yield from (self._calm(), self._drop_watches(), Step("no quota", {}), Step("no limit range", {}))
        for number, name in enumerate(NODES):
            acts = ("add node", "uncordon", "ready", "resize") if number < QUIET_NODES else ("cordon",)
            yield from (Step(act, {"name": name, "cpu": "4"}) for act in (*acts, "delete bid"))
        yield self._jobs.make_room()
        yield self._sets.submit_lasting()
        while len(self._gangs) > MOST_GANGS // 3:
            yield self._delete_gang()
        for act in (
            *(self._jobs.submit_lasting, self._submit_elastic, self._submit_urgent, self._submit_urgent),
            self._jobs.lose_node_of_lasting,
        ):
            yield act()
            if act == self._submit_elastic:
                yield self._sets.lose_node_of_lasting()
            for _ in range(QUIET_STEPS):
                yield self._one((self._report_progress, self._measure_speed, *4 * (self._calm,)))()

    def _fault(self) -> Step:
        chance = self._random.random()
        if chance < 0.55:
            kind, on = self._one(REQUEST_FAULTS), self._one(WRITES + READS)
            if kind == "stale":
                on = self._one(READS)
        elif chance < 0.65:
            kind, on = self._one(OPENING_FAULTS), f"open {self._one(WATCHED)}"
        else:
            kind, on = self._one(WATCH_FAULTS), f"watch {self._one(WATCHED)}"
        seconds = self._one((0.1, 0.5, 1, 3)) if kind in ("slow", "delayed") else self._one((1, 3, 10, 100))
        # A server that stays in the past has been set back.
        times = 1 if kind in ("silent", "stale") else self._one((1, 1, 2, 3, 7))
        return Step("fault", {"kind": kind, "on": on, "times": times, "seconds": seconds})

    def _submit(self) -> Step:
        if self._number % 3 == 0:
            return self._submit_elastic()
        low = self._one((1, 1, 2, 3, 4))
        return self._submit_gang(
            low=low,
            high=low + self._one((0, 0, 1, 4)),
            cpu=self._one(("500m", "1", "1", "2", "3")),
            run_for=self._one((None, "100ms", "500ms", "1s", "3s")),
            work=self._one((None, "2s", "5s", "1m")),
            priority=self._one(("", "", "chaos-high", "chaos-missing")),
            policies=self._one(POLICIES),
        )

    def _submit_elastic(self) -> Step:
        """A gang that changes its size, as often as plans do: it runs for long, and finds room."""
        low, beside = self._one((1, 1, 2, 3, 4)), self._one((0, 1))
        step = self._submit_gang(
            low=low,
            high=low + ELASTIC_RANGE,
            cpu="500m",
            run_for=None,
            work=self._one(("100h", None, None)),
            priority=self._one(("", "", "chaos-high")),
            policies={
                "elastic": {
                    **ELASTIC,
                    "mode": self._one(("Restart", "Members")),
                    "minInterval": self._one(LEAST_INTERVALS),
                }
            },
            has_launcher=beside == 1,
        )
        if step.act == "submit":
            self._sizes[step.how["name"]] = range(low + beside, low + ELASTIC_RANGE + 1 + beside)
        return step

    def _submit_urgent(self) -> Step:
        """A gang to which others give way. It ends soon, so that they have their room again."""
        size = self._one((1, 2, 3))
        return self._submit_gang(
            low=size,
            high=size,
            cpu=self._one(("1", "2")),
            run_for=self._one(("500ms", "1s", "3s")),
            work=self._one((None, "5s")),
            priority="chaos-urgent",
            policies={},
        )

    def _submit_gang(self, **how: Any) -> Step:
        """Submit a gang, or make room for one."""
        if len(self._gangs) >= MOST_GANGS:
            return self._delete_gang()
        name = self._new("gang")
        self._gangs.append(name)
        return Step("submit", {"name": name, "finalizer": self._random.random() < 0.1, **how})

    def _delete_gang(self) -> Step:
        if not self._gangs:
            return self._submit()
        name = self._gangs.pop(self._random.randrange(len(self._gangs)))
        return Step("delete gang", {"name": name, "foreground": self._random.random() < 0.3})

    def _suspend(self) -> Step:
        how = {"name": self._one(self._gangs or [""]), "suspend": self._random.random() < 0.5}
        return Step("suspend gang", how)

    def _ask_for_size(self) -> Step:
        """Most changes are asked for: plans rarely want the same one for two seconds while so much happens."""
        name = self._elastic_gang()
        if name is None:
            return self._submit()
        # A gang of which a size is asked gives no members up for others, so half of the time none is.
        size = None if self._random.random() < 0.5 else self._one(self._sizes[name])
        return Step("ask for size", {"name": name, "size": size})

    def _report_progress(self) -> Step:
        """A member says what part of the work is done; at times less than before, as from an older checkpoint."""
        part = self._one(("0", "0.1", "0.25", "0.5", "0.9"))
        gang = self._elastic_gang() or self._one(self._gangs or [""])
        return Step("report progress", {"gang": gang, "which": self._random.random(), "part": part})

    def _measure_speed(self) -> Step:
        """A gang has run at some sizes for minutes, which a walk has no time for, and its status has the speeds."""
        name = self._elastic_gang()
        if name is None:
            return self._submit()
        sizes = self._random.sample(self._sizes[name], 2)
        times = [{"size": size, "seconds": self._one((60, 300, 600, 3600))} for size in sizes]
        return Step("measure speed", {"name": name, "times": times})

    def _elastic_gang(self) -> str | None:
        known = [name for name in self._gangs if name in self._sizes]
        return self._one(known) if known else None

    def _change_node(self) -> Step:
        act = self._one(("add node", "add node", "delete node", "cordon", "uncordon", "unready", "ready", "resize"))
        return Step(act, {"name": self._one(NODES), "cpu": self._one(("1", "2", "4", "4", "8"))})

    def _bid(self) -> Step:
        name = self._one(NODES)
        if self._random.random() < 0.25:
            return Step("delete bid", {"name": name})
        spec = self._one(
            (
                {"dutyCycle": "500m"},
                {"capacity": self._one(("500m", "1", "2", "3"))},
                {"slots": self._one((1, 2, 5))},
                {"availableUntil": self._one((2, 10, 60))},
                {"availableFrom": self._one((-5, 2, 10))},
                {"expiresAt": self._one((1, 3, 30))},
                OWNER_BACK,
            )
        )
        return Step("put bid", {"name": name, "spec": spec})

    def _foreign_pod(self) -> Step:
        if self._foreign and self._random.random() < len(self._foreign) / MOST_FOREIGN:
            name = self._foreign.pop(self._random.randrange(len(self._foreign)))
            return Step("delete foreign", {"name": name})
        name = self._new("foreign")
        self._foreign.append(name)
        return Step("add foreign", {"name": name, "node": self._one(NODES), "cpu": self._one(("500m", "1", "3"))})

    def _take_member(self) -> Step:
        act = self._one(("delete member", "delete member", "fail member", "evict member"))
        return Step(act, {"gang": self._one(self._gangs or [""]), "which": self._random.random()})

    def _limits(self) -> Step:
        act = self._one(("quota", "no quota", "no quota", "limit range", "no limit range"))
        return Step(act, {"pods": self._one((2, 5, 9)), "cpu": self._one(("100m", "2"))})

    def _poison(self) -> Step:
        kind = self._one(("poison gang", "poison pod", "poison bid"))
        how = {
            "name": self._new("gang" if kind == "poison gang" else "poison"),
            "quantity": self._one(QUANTITIES),
            "time": self._one(TIMES),
        }
        if kind != "poison bid":
            (self._gangs if kind == "poison gang" else self._foreign).append(how["name"])
        return Step(kind, {**how, "node": self._one(NODES), "field": self._one(("availableUntil", "expiresAt"))})

    def _kill_operator(self) -> Step:
        return Step("kill operator", {})

    def _drop_watches(self) -> Step:
        return Step("drop watches", {})

    def _kill_api_server(self) -> Step:
        return Step("kill API server", {})

    def _calm(self) -> Step:
        """Whatever lies in wait is forgotten: a moment in which gangs get somewhere."""
        return Step("calm", {})

    def _new(self, kind: str) -> str:
        self._number += 1
        return f"{kind}{self._number}"

    def _one(self, choices: Any) -> Any:
        return self._random.choice(choices)
