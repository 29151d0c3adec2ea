"""The file of the rules, and which metrics an expression or a text names."""

import re
from functools import cache

import yaml
from prometheus_client import CollectorRegistry

from docs.markdown import ROOT
from lockstep.report.metrics.metrics import Metrics

RULES = ROOT / "charts" / "lockstep" / "files" / "rules.yaml"
_RULES = [rule for group in yaml.safe_load(RULES.read_text())["groups"] for rule in group["rules"]]
ALERTS = {rule["alert"]: rule for rule in _RULES if "alert" in rule}
RECORDS = {rule["record"]: rule for rule in _RULES if "record" in rule}


def metrics_in(text: str) -> set[str]:
    """The metrics of ours that a text names, or a query asks for."""
    return set(re.findall(r"\blockstep_[a-z_]*[a-z]\b", text))


@cache
def served_metrics() -> frozenset[str]:
    """Every name by which a metric of ours, or a part of it, can be asked for."""
    metrics = Metrics(CollectorRegistry())
    metrics.api.request_answered("GET", "pods", 200, 0.01)
    families = list(metrics.registry.collect())
    samples = {sample.name for family in families for sample in family.samples if not sample.name.endswith("_created")}
    return frozenset(samples | {family.name for family in families if family.type == "histogram"})
