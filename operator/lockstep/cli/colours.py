"""Whether to use colours: only for people who see them."""

import os
import sys


def is_colourful() -> bool:
    """Whether the output is a terminal, and its owner has not said NO_COLOR (no-color.org)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")
