"""``make bench``: how fast Lockstep is, beside what this machine's API server can do at most.

Prints, and never fails on a figure. Every figure of the operator stands beside its ceiling from the same run: the
machine, and who else uses it, then cancel out.
"""

import argparse
from collections.abc import Callable

import footprint
import loop_held
import plan_time
import throughput
from rich.console import Console

SECTIONS: dict[str, Callable[[Console], None]] = {
    "throughput": throughput.measure,
    "plan": plan_time.measure,
    "loop": loop_held.measure,
    "footprint": footprint.measure,
}


def main() -> None:
    """Run the sections named on the command line, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    # Without any, argparse compares the default as a whole with the choices.
    parser.add_argument("section", nargs="*", choices=[*SECTIONS, []], default=[])
    console = Console()
    for name in parser.parse_args().section or SECTIONS:
        console.rule(name)
        SECTIONS[name](console)


if __name__ == "__main__":
    main()
