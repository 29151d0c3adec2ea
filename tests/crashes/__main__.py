"""``python -m crashes``: strike at every request of every life of a gang; print the points and what each broke.

Lives on a fake API server are those of each source of Gangs. There, the operator is killed at every write.
"""

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import mkdtemp

from crashes.evicted_lives import EVICTED_LIVES
from crashes.in_memory.casts import CASTS
from crashes.in_memory.everywhere import SEEDS, killed_often, killed_once, points_of
from crashes.lives import LIVES, LONG_LIVES, finish_again
from crashes.pod_gang_lives import POD_GANG_LIVES
from crashes.recorded_lives import on_record
from crashes.strikes import Backup, KillApiServer, KillOperator, Strike
from crashes.theatre import Life, Theatre
from live.arena import Arena
from live.background import Background
from live.patient import patient
from live.proxy import proxied
from live.quick_start import Forked
from live.recording import handing_over, recording
from lockstep_demo.installing import install
from lockstep_demo.operator_process import OperatorProcess, running
from sandbox import Component, Options, Sandbox, start

EVERY_LIFE = {**LIVES, **LONG_LIVES, **POD_GANG_LIVES, **EVICTED_LIVES}
RIGHTS = Path(__file__).parents[2] / "operator"
ON_RECORD = "stay on record"
DATABASE = "record.db"
# The next operator waits so long for the lease of one that was killed; one that is not killed keeps its own while the
# API server is away.
LEASE_SECONDS = {"operator": 10, "api-server": 3600, "set-back": 3600}
ADDONS = frozenset({Component.KWOK, Component.CONTROLLER_MANAGER})
STRIKES: Mapping[str, Callable[[Sandbox, OperatorProcess, Path], Strike]] = {
    "operator": lambda _api, operator, _folder: KillOperator(operator),
    "api-server": lambda api, _operator, _folder: KillApiServer(api),
    "set-back": lambda api, _operator, folder: KillApiServer(api, Backup(api, folder)),
}


def main() -> int:
    """Strike as the command line says; returns 1 where anything broke."""
    parser = argparse.ArgumentParser(prog="crashes", description=__doc__)
    parser.add_argument("--strike", choices=STRIKES, default="operator", help="what is killed, or set back")
    parser.add_argument(
        "--life", choices=[*CASTS, *EVERY_LIFE, ON_RECORD], action="append", help="only this life of a gang"
    )
    parser.add_argument("--one-in", type=int, default=1, metavar="N", help="strike at one point in so many")
    parser.add_argument("--seed", type=int, default=1, help="which of them")
    options = parser.parse_args()
    part = slice(options.seed % options.one_in, None, options.one_in)
    all_broken = crash_in_memory(options.life, part) if options.strike == "operator" else []
    for name, life in lives_for(options.strike, options.life).items():
        all_broken += crash_everywhere(name, life, options.strike, part)
    if options.life is None or ON_RECORD in options.life:
        all_broken += crash_everywhere(ON_RECORD, None, options.strike, part)
    return 1 if all_broken else 0


def report(what: str, points: int, broken: list[str]) -> None:
    """Print how many points there were, and what each broke."""
    print(f"{what}: {points} points, {len(broken)} violations", *broken, sep="\n  ", flush=True)


def crash_in_memory(only: list[str] | None, part: slice) -> list[str]:
    """Live the life of each source of Gangs on a fake API server, once for each point; returns what was broken."""
    all_broken = []
    for name, cast in CASTS.items():
        if only is None or name in only:
            points, seeds = points_of(cast)[part], SEEDS[part]
            broken = killed_once(cast, points) + killed_often(cast, seeds)
            report(f"operator in memory at {name!r}, also again and again", len(points) + len(seeds), broken)
            all_broken += broken
    return all_broken


def lives_for(strike: str, only: list[str] | None) -> Mapping[str, Life]:
    """The lives to live; where time goes back, what a user did to a gang is undone too, so there is only one."""
    lives = {"finish again": finish_again} if strike == "set-back" else EVERY_LIFE
    return {name: life for name, life in lives.items() if only is None or name in only}


def crash_everywhere(name: str, life: Life | None, strike: str, part: slice) -> list[str]:
    """Live a life on a fresh control plane, once for each point of that part; returns what was broken.

    Without a life, it is that of a gang that stays on record.
    """

    def chosen(numbers: Sequence[int]) -> Sequence[int]:
        # With an API server that is killed, a life takes half a minute, and all points of it an hour.
        print(f"  {len(numbers[part])} of {len(numbers)} requests", flush=True)
        return numbers[part]

    folder = Path(mkdtemp(prefix="crashes-"))
    with fresh_theatre(folder, strike, is_recorded=life is None) as theatre:
        points, broken = theatre.crash(life or on_record(folder / DATABASE), chosen=chosen)
    report(f"{strike} at {name!r}", len(points), broken)
    return broken


@contextmanager
def fresh_theatre(folder: Path, strike: str, *, is_recorded: bool) -> Iterator[Theatre]:
    """A control plane, and an operator behind a proxy. One write at a time: its n-th request is always the same."""
    background = Background()
    with start(Options(name="crashes", addons=ADDONS, state=folder)) as api:
        install(api)
        for rights in ("sources", "suspending", "evicting"):
            api.apply(RIGHTS / f"rbac-{rights}.yaml")
        api.create_namespace("crashes")
        kubeconfig = api.kubeconfig_for_service_account("lockstep-system", "lockstep")
        options = ("--concurrency", "1", "--sources=pods,job,single")
        with ExitStack() as stack:
            if is_recorded:
                stack.enter_context(recording(api, folder / DATABASE))
                options += handing_over(LEASE_SECONDS[strike])
            proxy = stack.enter_context(proxied(api, kubeconfig, folder / "kubeconfig", background))
            operator = OperatorProcess(proxy.kubeconfig, folder / "log", *options, spawn=Forked)
            stack.enter_context(running(operator))
            arena = Arena(patient(api), "crashes")
            yield Theatre(arena, proxy, operator, background, STRIKES[strike](api, operator, folder))
    background.stop()


if __name__ == "__main__":
    sys.exit(main())
