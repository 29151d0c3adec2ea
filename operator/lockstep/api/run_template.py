"""What tells the runs of one template from those of others: all that a manifest says about how long they take."""

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

_FIELDS = ("template", "load", "pieces")
_DIGITS = 32


def run_template(spec: Mapping[str, Any]) -> str:
    """A digest in hexadecimal digits: the same for specs with the same work, and roles with the same templates."""
    roles = [[role.get(field) for field in _FIELDS] for role in spec.get("roles") or [spec]]
    text = json.dumps([roles, spec.get("work")], sort_keys=True)
    return sha256(text.encode()).hexdigest()[:_DIGITS]
