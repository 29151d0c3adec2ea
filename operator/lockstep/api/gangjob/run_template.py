"""A digest of all parts of a GangJob that affect how long it runs."""

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

_FIELDS = ("template", "load", "pieces")
# It affects planning only, not how long runs take.
_NOT_OF_THE_WORK = "learn"
_DIGITS = 32


def run_template(spec: Mapping[str, Any]) -> str:
    """Hexadecimal digits, equal for specs with the same work and the same templates of roles."""
    roles = [[role.get(field) for field in _FIELDS] for role in spec.get("roles") or [spec]]
    work = {field: value for field, value in (spec.get("work") or {}).items() if field != _NOT_OF_THE_WORK}
    text = json.dumps([roles, work], sort_keys=True)
    return sha256(text.encode()).hexdigest()[:_DIGITS]
