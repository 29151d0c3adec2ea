"""The chart's generated files: which there are, and what is in them."""

from pathlib import Path
from typing import Any

import yaml
from charts.make.chart import chart
from charts.make.kinds import kind_template
from charts.make.readme import readme
from charts.make.roles import SOURCES, role_templates
from charts.make.schema import schema
from charts.make.values import read_values

from lockstep import __version__

ROOT = Path(__file__).parents[2]
CHART = "charts/lockstep"
_KINDS = ("fairshares", "gangjobs", "gangs", "gangsweeps", "nodebids")
_EXAMPLES = ("examples/02-range.yaml", "examples/01-bids.yaml")


def generated_files() -> dict[str, str]:
    """The text of every generated file by its path in the repository."""
    values = read_values(_text(f"{CHART}/values.yaml"))
    roles = role_templates({source: _text(source) for source in SOURCES})
    return {
        f"{CHART}/Chart.yaml": chart(__version__, [_first(f"crds/{kind}.yaml") for kind in _KINDS], _examples()),
        f"{CHART}/README.md": readme(values),
        f"{CHART}/values.schema.json": schema(values),
        **{f"{CHART}/templates/crds/{kind}.yaml": kind_template(_text(f"crds/{kind}.yaml")) for kind in _KINDS},
        **{f"{CHART}/templates/rbac/{name}": text for name, text in roles.items()},
    }


def _examples() -> list[dict[str, Any]]:
    return [_first(path) for path in _EXAMPLES]


def _first(path: str) -> dict[str, Any]:
    """The first document of a file."""
    document: dict[str, Any] = next(iter(yaml.load_all(_text(path), Loader=yaml.CSafeLoader)))
    return document


def _text(path: str) -> str:
    return (ROOT / path).read_text()
