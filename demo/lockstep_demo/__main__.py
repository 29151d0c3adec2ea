"""``python -m lockstep_demo``."""

import sys

from rich.console import Console

from lockstep_demo.interrupts import raise_on_interrupt
from lockstep_demo.play import Play
from lockstep_demo.screen import Screen
from lockstep_demo.stage import stage
from lockstep_demo.summary import metrics_page, metrics_table
from lockstep_demo.tables import gang_table
from sandbox.errors import SandboxError

INTERRUPTED = 130
OPENING = """\
Lockstep demo: a real API server, twelve nodes of three speeds, some with work
of their own, and gangs that need them. Lockstep chooses each gang's size, nodes
and start so that jobs end soon, and binds all of its pods or none.
"""


def main() -> int:
    """Run the demo, and return the exit code: 0, 1 after a failure, or 130 after an interrupt."""
    raise_on_interrupt()
    screen = Screen(Console())
    screen.say(OPENING)
    try:
        with stage(screen) as play:
            gangs = _perform(play, screen)
    except SandboxError as error:
        screen.say("\n".join([f"The demo failed: {error}", *getattr(error, "__notes__", ())]))
        return 1
    except KeyboardInterrupt:
        screen.say("Interrupted; everything is cleaned up.")
        return INTERRUPTED
    screen.say(f"All {gangs} gangs were placed and have finished.")
    return 0


def _perform(play: Play, screen: Screen) -> int:
    """Run the steps of the demo, print a summary, and return the number of gangs."""
    last = play.run()
    if not screen.console.is_terminal:
        screen.say("")
        screen.console.print(gang_table(last, began=play.began, wraps=True))
    screen.console.print("", metrics_table(metrics_page(play.operator)), sep="\n")
    return len(last.gangs)


if __name__ == "__main__":
    sys.exit(main())
