"""The chart's README: the hand-written part, and a table of all values."""

import json
from pathlib import Path
from typing import Any

from charts.make.values import Value, leaves

_HAND_WRITTEN = Path(__file__).parent / "introduction.md"
_PLACE = "<!-- values -->\n"
_LONGEST_DEFAULT = 60


def readme(values: tuple[Value, ...]) -> str:
    """The text of the README, with the table where the hand-written part has the place for it."""
    return _HAND_WRITTEN.read_text().replace(_PLACE, "\n".join([*_table(values), ""]))


def _table(values: tuple[Value, ...]) -> list[str]:
    head = ["| value | default | |", "|---|---|---|"]
    return [*head, *(f"| `{value.name}` | {_shown(value.default)} | {value.description} |" for value in leaves(values))]


def _shown(default: Any) -> str:
    text = json.dumps(default, ensure_ascii=False)
    return f"`{text}`" if len(text) <= _LONGEST_DEFAULT else "see `values.yaml`"
