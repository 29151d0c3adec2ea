"""What lasts as long as tests may need it, and not until the last test of a process, of which most need no server."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import TypeVar

import pytest

Kept = TypeVar("Kept")

_ENDS = pytest.StashKey[ExitStack]()


@contextmanager
def until_last_needed(config: pytest.Config, manager: AbstractContextManager[Kept]) -> Iterator[Kept]:
    """Enter a context that ends with the block, or as soon as ``end`` is called."""
    with ExitStack() as ending:
        config.stash.setdefault(_ENDS, ExitStack()).callback(ending.close)
        yield ending.enter_context(manager)


def end(config: pytest.Config) -> None:
    """End all that would last longer, since no test needs it any more."""
    config.stash.setdefault(_ENDS, ExitStack()).close()
