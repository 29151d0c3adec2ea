"""The dashboard as it is shipped."""

import json
from typing import Any, NamedTuple

from docs.markdown import ROOT

DASHBOARD = ROOT / "charts" / "lockstep" / "files" / "dashboard.json"
DOCUMENT: dict[str, Any] = json.loads(DASHBOARD.read_text())
ROWS = [panel for panel in DOCUMENT["panels"] if panel["type"] == "row"]
PANELS = [panel for panel in DOCUMENT["panels"] if panel["type"] != "row"]


class Target(NamedTuple):
    """One query of a panel."""

    panel: str
    expression: str
    legend: str


TARGETS = [
    Target(panel["title"], target["expr"], target["legendFormat"]) for panel in PANELS for target in panel["targets"]
]


def with_variables(expression: str, *, interval: str, time_range: str) -> str:
    """The expression as Grafana sends it, with everything chosen."""
    for name in DOCUMENT["templating"]["list"]:
        expression = expression.replace(f"${name['name']}", ".*")
    return expression.replace("$__rate_interval", interval).replace("$__range", time_range)
