"""What is made of a schema is made once: the same schema is asked about for each of a hundred thousand entries."""

from collections.abc import Callable
from typing import Any, TypeVar

Made = TypeVar("Made")


def once_for_each(make: Callable[[Any], Made]) -> Callable[[Any], Made]:
    """The same function, which makes something of each object only once; objects are distinguished by identity.

    It keeps the objects, so that no other object gets the identity of one of them.
    """
    known: dict[int, tuple[Any, Made]] = {}

    def found(thing: Any) -> Made:
        if id(thing) not in known:
            known[id(thing)] = (thing, make(thing))
        return known[id(thing)][1]

    return found
