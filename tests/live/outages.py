"""What is dead for a while: an operator, a server of answers, or a recorder."""

from contextlib import contextmanager


@contextmanager
def dead(process):
    """Kill a process, and start it again after the block."""
    process.kill()
    try:
        yield
    finally:
        process.start()
