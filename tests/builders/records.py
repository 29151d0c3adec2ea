"""Records of gangs."""

from lockstep.facts.records.gang_record import GangOutcome, GangRecord, Stretch

HOUR = 3600


def stretch(attempt=1, began=1000, **more):
    """Describe what a gang held; two members of one core each unless ``more`` says otherwise."""
    return Stretch(attempt=attempt, began=began, **{"members": 2, "millicores": 2000, **more})


def record(uid="u", *stretches, **more):
    """Describe a gang that is on record; it is open unless ``more`` has an outcome."""
    described = {"kind": "GangJob", "namespace": "default", "name": "g", "created": 900, **more}
    return GangRecord(uid=uid, stretches=stretches, **described)


def ended(uid="u", end=1000 + HOUR, *, began=1000, outcome=GangOutcome.SUCCEEDED, **more):
    """Describe a gang that has had one stretch."""
    held = stretch(began=began, ended=end, reason=outcome, attempt=1)
    return record(uid, held, started=began, ended=end, outcome=outcome, reason=outcome, attempts=1, **more)
