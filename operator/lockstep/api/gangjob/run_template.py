"""What tells the runs of one template from those of others: all that a manifest says about how long they take."""

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

_FIELDS = ("template", "load", "pieces")
# It says what is planned with, not how long runs take.
_NOT_OF_THE_WORK = "learn"
_DIGITS = 32


def run_template(spec: Mapping[str, Any]) -> str:
    """A digest in hexadecimal digits: the same for specs with the same work, and roles with the same templates."""
    roles = [[role.get(field) for field in _FIELDS] for role in spec.get("roles") or [spec]]
    work = {field: value for field, value in (spec.get("work") or {}).items() if field != _NOT_OF_THE_WORK}
    text = json.dumps([roles, work], sort_keys=True)
    return sha256(text.encode()).hexdigest()[:_DIGITS]
