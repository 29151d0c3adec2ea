"""Conditions, as every kind of objects has them."""

from collections.abc import Mapping
from typing import Any

Manifest = Mapping[str, Any]


def has_condition(status: Manifest, kind: str) -> bool:
    """Whether the condition of that type stands and is True."""
    return any(one["type"] == kind and one["status"] == "True" for one in status.get("conditions") or ())
