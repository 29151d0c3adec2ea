"""Parses and formats the gangs for which a gang waits: ``spec.after`` and ``status.after``."""

from itertools import islice
from typing import Any

from lockstep.api.manifest import Manifest
from lockstep.api.quantities import epoch_seconds, rfc3339
from lockstep.facts.gang.after import (
    MOST_PREDECESSORS,
    Missing,
    Predecessor,
    PredecessorKind,
    PredecessorOutcome,
    Recorded,
    When,
)


def parse_after(spec: Manifest) -> tuple[Predecessor, ...]:
    """The gangs for which a gang with that spec waits."""
    return tuple(_predecessor(one) for one in islice(spec.get("after") or (), MOST_PREDECESSORS))


def parse_recorded(status: Manifest) -> tuple[Recorded, ...]:
    """The gangs for which a gang waits, and their recorded outcomes, from the status of the waiting gang."""
    return tuple(_recorded(one) for one in status.get("after") or ())


def recorded_manifest(one: Recorded) -> dict[str, Any]:
    """Format one entry of ``status.after``."""
    known = {"outcome": one.outcome, "at": None if one.at is None else rfc3339(one.at)}
    entry = {"name": one.name, "kind": one.kind, "uid": one.uid}
    return entry | {name: value for name, value in known.items() if value is not None}


def _predecessor(one: Manifest) -> Predecessor:
    usual = Predecessor(one["name"])
    return Predecessor(
        one["name"],
        PredecessorKind(one.get("kind") or usual.kind),
        When(one.get("when") or usual.when),
        Missing(one.get("missing") or usual.missing),
    )


def _recorded(one: Manifest) -> Recorded:
    outcome = one.get("outcome")
    return Recorded(
        one["name"],
        PredecessorKind(one["kind"]),
        one["uid"],
        None if outcome is None else PredecessorOutcome(outcome),
        epoch_seconds(one.get("at")),
    )
