"""What lies beyond the bounds of the schema is refused before it is read, unless the gang holds nodes by now."""

import json

import pytest

from builders.oversize import bounds
from builders.served import container, gang
from lockstep.api.bounds import MOST_ENTRIES, beyond_bounds
from lockstep.api.gangjob import role
from lockstep.api.gangjob.gangjob import parse_gang
from lockstep.facts.reasons import Reason

BOUNDS = bounds()
LARGE = [{"key": f"k{number}", "operator": "Exists"} for number in range(101)]
EXCESS = "template.spec.tolerations: has 101 entries, and may have at most 100"
RESERVED = {"reservedAt": "2027-01-15T08:00:00Z", "attempt": 1, "members": [{"node": "n1", "count": 2}]}


@pytest.fixture
def reads(monkeypatch):
    """How often the roles of a spec were read."""
    calls = []
    real = role.parse_needs
    monkeypatch.setattr(role, "parse_needs", lambda *given: calls.append(given) or real(*given))
    return calls


def test_every_place_is_within_its_bound_and_beyond_it():
    assert len(BOUNDS) > 1_000
    wrong = [bound.path for bound in BOUNDS if beyond_bounds(bound.spec(bound.most))]
    unseen = [bound.path for bound in BOUNDS if not is_named(bound, beyond_bounds(bound.spec(bound.most + 1)))]

    assert (wrong, unseen) == ([], [])


def is_named(bound, phrase):
    return phrase.startswith(f"{bound.path}: has {bound.most + 1:,} ") and phrase.endswith(f" at most {bound.most:,}")


def test_all_lists_and_maps_together_are_bounded():
    variables = [{"name": "A"}] * 1_000
    spec = gang("g", pod_spec={"containers": [container(f"c{number}", env=variables) for number in range(10)]})["spec"]

    phrase = beyond_bounds(spec)

    assert phrase.startswith("template.spec.containers[9].env: ")
    assert f" and may have at most {MOST_ENTRIES:,} together" in phrase


def test_comparison_ends_at_what_is_too_large():
    class Counted(list):
        entries = 0

        def __iter__(self):
            for one in super().__iter__():
                Counted.entries += 1
                yield one

    containers = [container(f"c{number}", args=Counted(["a"] * 1_000)) for number in range(50)]

    assert beyond_bounds(gang("g", pod_spec={"containers": containers})["spec"])
    assert Counted.entries <= MOST_ENTRIES


@pytest.mark.parametrize(
    "value", [pytest.param(value, id=json.dumps(value)) for value in (None, 7, "x", [], {}, [[{}]], {"a": [{}]})]
)
@pytest.mark.parametrize("field", ["template", "roles", "size", "work", "load", "elsewhere"])
def test_value_of_another_type_has_no_bounds(field, value):
    assert beyond_bounds({field: value}) == ""


def test_long_key_is_named_in_short():
    phrase = beyond_bounds(gang("g", pod_spec={"nodeSelector": {"k" * 100_000: "v" * 64}})["spec"])

    assert phrase == f"template.spec.nodeSelector[{'k' * 64}]: has 64 characters, and may have at most 63"


def test_gang_beyond_the_bounds_is_refused_and_not_read(reads):
    fact = parse_gang(gang("g", pod_spec={"tolerations": LARGE}), None)

    assert (fact.spec, fact.refusal.reason) == (None, Reason.INVALID_SPEC)
    assert fact.refusal.message == f"{EXCESS}. Delete this GangJob, and create one within the bounds."
    assert reads == []


def test_gang_beyond_the_bounds_goes_on_where_it_holds_nodes():
    fact = parse_gang(gang("g", pod_spec={"tolerations": LARGE}, status=RESERVED), None)

    assert fact.refusal is None
    assert (fact.spec.excess, len(fact.spec.roles)) == (EXCESS, 1)
