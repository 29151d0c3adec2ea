"""Objects of the API server as decoded JSON."""

from collections.abc import Mapping
from typing import Any

Manifest = Mapping[str, Any]
"""An object, or a part of one, which is only read."""

NewManifest = dict[str, Any]
"""A new object, or a part of one, which may be changed."""
