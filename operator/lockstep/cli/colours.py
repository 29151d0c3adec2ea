"""Decides whether to use colours."""

import os
import sys


def is_colourful() -> bool:
    """Whether the output is a terminal and NO_COLOR is not set (no-color.org)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")
