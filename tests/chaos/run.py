"""One walk over one cluster: steps at an even pace, invariants after every event, and a settled cluster at the end."""

import math
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from chaos.invariants import Invariants
from chaos.observer import Observer
from chaos.proxy import FaultyProxy
from chaos.script import Step
from chaos.settled import check_empty, check_settled
from chaos.settled_jobs import check_jobs_go, check_jobs_run
from chaos.settled_sets import check_sets_go, check_sets_run
from chaos.world import World
from live.background import Background
from live.proxy import proxied
from live.quick_start import Forked
from lockstep_demo.installing import install
from lockstep_demo.manifests import ROOT
from lockstep_demo.operator_process import OperatorEndedError, OperatorProcess, running
from sandbox import Component, Options, Sandbox, start

STEPS_A_SECOND = 8
CHECK_EVERY = 8
ADDONS = frozenset({Component.KWOK, Component.CONTROLLER_MANAGER})
# Nodes that are away are soon lost: a walk has no time for more.
OPTIONS = ("--sources=job,pods,sizedjob", "--unreachable-after=5s")


@dataclass(slots=True, kw_only=True)
class Result:
    """What came of a walk. ``steps`` is what was done, up to the first violation."""

    steps: list[Step] = field(default_factory=list)
    faults: Counter[str] = field(default_factory=Counter)
    ended: Counter[str] = field(default_factory=Counter)
    gave_way: Counter[str] = field(default_factory=Counter)
    of_jobs: Counter[str] = field(default_factory=Counter)
    of_sets: Counter[str] = field(default_factory=Counter)
    of_sizes: Counter[str] = field(default_factory=Counter)
    violations: list[str] = field(default_factory=list)
    log: str = ""


def walk(api: Sandbox, folder: Path, steps: Iterable[Step]) -> Result:
    """Do the steps on a cluster that has our kinds and nothing else; stop at the first violation."""
    result = Result()
    invariants = Invariants()
    with cluster_under_chaos(api, folder) as (world, background):
        observer = Observer(world, background, invariants)
        observer.start()
        try:
            _do_all(world, observer, invariants, steps, result)
            _settle(world, observer)
        except (AssertionError, OperatorEndedError) as error:
            result.violations.append(str(error))
        observer.stop()
        result.violations += [*invariants.violations, *(f"forbidden: {one}" for one in world.proxy.forbidden)]
        result.faults, result.ended, result.gave_way = world.proxy.counts, invariants.ended, invariants.gave_way
        result.of_jobs, result.of_sets = invariants.jobs.seen, invariants.sets.seen
        result.of_sizes = invariants.sizes.seen
        result.log = world.operator.log_text()
    return result


def paced(steps: Iterable[Step], seconds: float = math.inf) -> Iterator[Step]:
    """Hand out steps at an even pace for so long; a busy machine does fewer of them in that time."""
    began = time.monotonic()
    for number, step in enumerate(steps):
        due = number / STEPS_A_SECOND
        if due > seconds:
            return
        time.sleep(max(0.0, began + due - time.monotonic()))
        if time.monotonic() - began > seconds:
            return
        yield step


def _do_all(world: World, observer: Observer, invariants: Invariants, steps: Iterable[Step], result: Result) -> None:
    for number, step in enumerate(steps, start=1):
        result.steps.append(step)
        world.do(step)
        if number % CHECK_EVERY == 0:
            observer.check()
            if invariants.violations or world.proxy.forbidden:
                raise AssertionError(f"after step {number}, {step.act}")


def _settle(world: World, observer: Observer) -> None:
    world.clean_up()
    check_settled(world)
    observer.check()
    check_empty(world)
    world.make_room()
    check_jobs_run(world)
    check_sets_run(world)
    observer.check()
    check_jobs_go(world)
    check_sets_go(world)


@contextmanager
def cluster_under_chaos(api: Sandbox, folder: Path) -> Iterator[tuple[World, Background]]:
    """An operator behind a faulty proxy."""
    kubeconfig = api.kubeconfig_for_service_account("lockstep-system", "lockstep")
    background = Background()
    with ExitStack() as stack:
        stack.callback(background.stop)
        proxy = stack.enter_context(proxied(api, kubeconfig, folder / "kubeconfig", background, make=FaultyProxy))
        operator = stack.enter_context(
            running(OperatorProcess(proxy.kubeconfig, folder / "log", *OPTIONS, spawn=Forked))
        )
        world = World(api, proxy, operator, background)
        world.prepare()
        yield world, background


@contextmanager
def fresh_cluster(folder: Path) -> Iterator[Sandbox]:
    """A control plane of the walk's own, with our kinds, on which the operator may do all that it ever does."""
    with start(Options(name="chaos", addons=ADDONS, state=folder)) as api:
        install(api)
        for name in ("sources", "sizing", "suspending", "evicting"):
            api.apply(ROOT / "operator" / f"rbac-{name}.yaml")
        yield api
