"""The dashboard as it is shipped."""

import json
import re
from typing import Any, NamedTuple

from docs.markdown import ROOT

DASHBOARD = ROOT / "charts" / "lockstep" / "files" / "dashboard.json"
DOCUMENT: dict[str, Any] = json.loads(DASHBOARD.read_text())
ROWS = [panel for panel in DOCUMENT["panels"] if panel["type"] == "row"]
IN_VIEW = [panel for panel in DOCUMENT["panels"] if panel["type"] != "row"]
PANELS = [*IN_VIEW, *(panel for row in ROWS for panel in row["panels"])]


class Target(NamedTuple):
    """One query of a panel."""

    panel: str
    expression: str
    legend: str

    @property
    def may_be_empty(self) -> bool:
        """Whether it gives nothing, and no zero, where nothing happened or there is no such thing."""
        return re.search(r" >=? 0\)?$", self.expression) is not None


TARGETS = [
    Target(panel["title"], target["expr"], target["legendFormat"]) for panel in PANELS for target in panel["targets"]
]


def with_variables(expression: str, *, interval: str, time_range: str) -> str:
    """The expression as Grafana sends it, with everything chosen."""
    for name in DOCUMENT["templating"]["list"]:
        expression = expression.replace(f"${name['name']}", ".*")
    return expression.replace("$__rate_interval", interval).replace("$__range", time_range)
