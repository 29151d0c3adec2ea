"""Computes a digest of all parts of a GangJob that affect its run time."""

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from lockstep.api.gangjob.dealing import is_dealt_while_running

_FIELDS = ("template", "load", "pieces")
# This field affects only planning, and not the run time.
_NOT_OF_THE_WORK = "learn"
_DIGITS = 32


def run_template(spec: Mapping[str, Any]) -> str:
    """The digest of a spec as hexadecimal digits. Specs with the same work and the same roles have the same digest."""
    roles = [[role.get(field) for field in _FIELDS] for role in spec.get("roles") or [spec]]
    work = {field: value for field, value in (spec.get("work") or {}).items() if field != _NOT_OF_THE_WORK}
    # Gangs without a dealer have no such entry. So run times that were learned before dealers existed still count.
    dealing = [spec["dealing"]] if is_dealt_while_running(spec) else []
    text = json.dumps([roles, work, *dealing], sort_keys=True)
    return sha256(text.encode()).hexdigest()[:_DIGITS]
