"""A large owner of pods costs others little: the step that makes its Gang is bounded, and so is the Gang."""

from contextlib import suppress

import orjson
import pytest

from builders.work import instructions
from lockstep.api.podgang import section
from tenants.bounds import USUAL
from tenants.owners import OWNERS, gang_of, large_owners
from tenants.price import without

MOST_BYTES_OF_GANG = 4_000


def step_of(owner):
    """The step that makes the Gang of an owner, as a multiple of the longest of the cluster without it."""
    manifest = owner.make()
    return instructions(lambda: made(owner, manifest)) / without().step


def made(owner, manifest):
    """The Gang of an owner; None for one that can't be understood."""
    with suppress(ValueError):
        return gang_of(owner.source, manifest)


@pytest.mark.parametrize("source", OWNERS)
def test_step_that_makes_the_gang_of_a_large_owner_is_bounded(source):
    steps = {one.field: step_of(one) for one in large_owners() if one.source is source}

    assert {field: step for field, step in steps.items() if step > USUAL.largest.step} == {}


@pytest.mark.parametrize("source", OWNERS)
def test_gang_of_a_large_owner_is_small(source):
    gangs = {one.field: orjson.dumps(made(one, one.make())) for one in large_owners() if one.source is source}

    assert [field for field, gang in gangs.items() if len(gang) > MOST_BYTES_OF_GANG] == []


def test_step_is_beyond_its_bound_once_that_of_the_parts_of_an_owner_is_taken_out(monkeypatch):
    [owner] = [one for one in large_owners() if one.field == "dependsOn"]
    monkeypatch.setattr(section, "_MOST_ENTRIES", 10**9)

    assert step_of(owner) > USUAL.largest.step
