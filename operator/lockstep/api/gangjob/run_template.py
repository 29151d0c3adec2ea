"""A digest of all parts of a GangJob that affect how long it runs."""

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from lockstep.api.gangjob.dealing import is_dealt_while_running

_FIELDS = ("template", "load", "pieces")
# It affects planning only, not how long runs take.
_NOT_OF_THE_WORK = "learn"
_DIGITS = 32


def run_template(spec: Mapping[str, Any]) -> str:
    """Hexadecimal digits, equal for specs with the same work and the same templates of roles."""
    roles = [[role.get(field) for field in _FIELDS] for role in spec.get("roles") or [spec]]
    work = {field: value for field, value in (spec.get("work") or {}).items() if field != _NOT_OF_THE_WORK}
    # Absent for other gangs, so that what was learned of them before there was a dealer still counts.
    dealing = [spec["dealing"]] if is_dealt_while_running(spec) else []
    text = json.dumps([roles, work, *dealing], sort_keys=True)
    return sha256(text.encode()).hexdigest()[:_DIGITS]
