"""``python -m chaos``: walk, print what happened, and shrink what broke."""

import argparse
import sys
from collections import Counter
from itertools import islice
from pathlib import Path
from tempfile import mkdtemp

from chaos.run import STEPS_A_SECOND, Result, fresh_cluster, paced, walk
from chaos.script import Step, as_line, read
from chaos.shrink import shrink
from chaos.walk import Walk


def main() -> int:
    """Walk as the command line says; returns how many violations there were, at most 1."""
    options = parse()
    print(f"chaos: seed {options.seed}, {options.seconds:g} seconds")
    result = replay(steps_of(options), options.seconds)
    show(result)
    if not result.violations:
        return 0
    if options.log:
        options.log.write_text(result.log, encoding="utf-8")
    print(f"seed {options.seed}; all {len(result.steps)} steps:", *map(as_line, result.steps), sep="\n  ")
    if options.shrink_seconds:
        shortest = shrink(result.steps, lambda steps: replay(steps, options.seconds), options.shrink_seconds)
        print("the shortest list that still shows it:", *map(as_line, shortest), sep="\n  ")
    return 1


def parse() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="chaos", description=__doc__)
    parser.add_argument("--seconds", type=float, default=60, help="how long to walk")
    parser.add_argument("--seed", type=int, default=1, help="which walk")
    parser.add_argument("--script", type=Path, help="walk these steps instead: one a line, as printed for a violation")
    parser.add_argument("--shrink-seconds", type=float, default=0, help="look for so long for a shorter list")
    parser.add_argument("--log", type=Path, help="where to write the operator's log after a violation")
    return parser.parse_args()


def steps_of(options: argparse.Namespace) -> list[Step]:
    """The steps of a script, or as many as fit into the time."""
    if options.script:
        return read(options.script)
    return list(islice(Walk(options.seed, can_restart=True), int(options.seconds * STEPS_A_SECOND) + 1))


def replay(steps: list[Step], seconds: float) -> Result:
    """Walk these steps on a fresh cluster."""
    folder = Path(mkdtemp(prefix="chaos-"))
    with fresh_cluster(folder) as api:
        return walk(api, folder, paced(steps, seconds))


def show(result: Result) -> None:
    """Print faults by kind, how gangs ended, what was seen of Jobs, ReplicaSets and sizes, and violations."""
    print(f"steps: {len(result.steps)}")
    print(f"faults: {sum(result.faults.values())}")
    for kind, number in sorted(result.faults.items()):
        print(f"  {kind}: {number}")
    print("gangs ended:", counted(result.ended))
    print("gangs gave way to urgent ones:", counted(result.gave_way))
    print("Jobs:", counted(result.of_jobs))
    print("ReplicaSets:", counted(result.of_sets))
    print("changes of size:", counted(result.of_sizes))
    print(f"violations: {len(result.violations)}", *result.violations, sep="\n  ", flush=True)


def counted(numbers: Counter[str]) -> str:
    """Format how often what happened."""
    return ", ".join(f"{number} {how}" for how, number in sorted(numbers.items())) or "none"


if __name__ == "__main__":
    sys.exit(main())
