"""An explanation has one field for a name of a gang, that of the gang itself."""

import dataclasses
import typing
from types import UnionType

import pytest

from coschedule import GangKey
from lockstep.tenants.explanation import Explanation


def types_within(hint, seen):
    """All types that a value of that type may hold, and the names of fields that hold the key of a gang."""
    for inner in typing.get_args(hint) if typing.get_origin(hint) in (tuple, UnionType, typing.Union) else ():
        yield from types_within(inner, seen)
    if not isinstance(hint, type) or hint in seen:
        return
    seen.add(hint)
    if dataclasses.is_dataclass(hint) or hasattr(hint, "_fields"):
        for name, field in typing.get_type_hints(hint).items():
            if field is GangKey:
                yield f"{hint.__name__}.{name}"
            yield from types_within(field, seen)


def test_no_field_but_its_own_holds_the_key_of_a_gang():
    assert [*types_within(Explanation, {GangKey})] == ["Explanation.gang"]


@pytest.mark.parametrize("kind", ["OwnPlan", "OtherGangs", "Ahead", "Freed"])
def test_search_reaches_what_an_explanation_holds(kind):
    seen = {GangKey}
    assert [*types_within(Explanation, seen)]

    assert kind in {one.__name__ for one in seen}
