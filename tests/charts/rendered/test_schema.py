"""What the schema refuses: every key that is not there, on every level, and every value that makes no sense."""

import copy
import json

import pytest
import yaml

from charts.helm import CHART, RefusedError, render
from lockstep.agent.measuring.sampler import LONGEST_PERIOD
from searches import sample


def groups(schema, path=()):
    """Every level on which only certain keys are known."""
    if schema.get("additionalProperties") is False:
        yield path
    for key, inner in schema.get("properties", {}).items():
        yield from groups(inner, (*path, key))


GROUPS = list(groups(json.loads((CHART / "values.schema.json").read_text())))


@pytest.mark.parametrize("path", [pytest.param(path, id=".".join(path) or "root") for path in GROUPS])
def test_unknown_key_is_refused(path):
    values = {"enable": True}
    for key in reversed(path):
        values = {key: values}

    with pytest.raises(RefusedError, match="additional properties 'enable' not allowed"):
        render(values)


def keys(values, path=()):
    """Every key of values, on every level."""
    for key, inner in values.items():
        yield (*path, key)
        if isinstance(inner, dict):
            yield from keys(inner, (*path, key))


def test_key_that_is_removed_is_required_by_the_schema_or_not_needed(pytestconfig):
    values = yaml.safe_load((CHART / "values.yaml").read_text())
    rendered = {"metrics": {kind: {"enabled": True} for kind in ("secure", "serviceMonitor", "prometheusRule")}}
    parts = ("grafanaDashboard", "networkPolicy", "agent", "record", "tenantAnswers", "sweeps", "fairShares")
    everything = {**rendered, **{part: {"enabled": True} for part in parts}}

    taken = sample(pytestconfig, "keys of the values", [path for path in keys(values) if path[0] != "crds"])

    complaints = {path: complaint_about(everything, path) for path in taken}

    assert "missing property 'leaseDuration'" in complaint_about(everything, ("leaderElection", "leaseDuration"))
    assert {path for path, said in complaints.items() if said and "missing propert" not in said} == set()


def complaint_about(everything, path):
    """What Helm says when a key is taken away; nothing where it does without."""
    changed = copy.deepcopy(everything)
    *above, last = path
    inner = changed
    for key in above:
        inner = inner.setdefault(key, {})
    inner[last] = None
    try:
        render(
            changed, "--api-versions=monitoring.coreos.com/v1/ServiceMonitor,monitoring.coreos.com/v1/PrometheusRule"
        )
    except RefusedError as error:
        return str(error)
    return ""


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=path)
        for path in (
            *(
                "agent.nodeSelector",
                "agent.podSecurityContext",
                "crds.annotations",
                "livenessProbe",
                "nodePool.selector",
            ),
            *("metrics.prometheusRule.thresholds", "podSecurityContext", "readinessProbe"),
        )
    ],
)
def test_null_is_as_good_as_nothing(path):
    """An empty line below a key is null, and Helm then takes the key away."""
    parts = {part: {"enabled": True} for part in ("agent", "record", "tenantAnswers")}
    everything = {**parts, "metrics": {"prometheusRule": {"enabled": True, "renderMode": "alwaysRender"}}}
    values = copy.deepcopy(everything)
    *above, last = path.split(".")
    inner = values
    for key in above:
        inner = inner.setdefault(key, {})
    inner[last] = None

    rendered = render(values, kinds=True)

    assert rendered.names() == render(everything, kinds=True).names()
    [bids] = [one for one in rendered.all if one["metadata"]["name"] == "nodebids.lockstep.dev"]
    assert bids["metadata"]["annotations"]["helm.sh/resource-policy"] == "keep"


def test_every_group_of_values_is_such_a_level():
    values = yaml.safe_load((CHART / "values.yaml").read_text())
    want_groups = {("image",), ("metrics", "secure"), ("leaderElection",), ("livenessProbe",)}

    assert want_groups <= set(GROUPS)
    assert {path[0] for path in GROUPS if path} <= values.keys()


@pytest.mark.parametrize(
    ("setting", "want"),
    [
        pytest.param("replicaCount=two", "replicaCount", id="a number in words"),
        pytest.param("log.level=loud", "log/level", id="an unknown level"),
        pytest.param("leaderElection.leaseDuration=15", "leaseDuration", id="a duration without a unit"),
        pytest.param("planning.keepNodesFreeFor=1h30", "keepNodesFreeFor", id="half a duration"),
        pytest.param(f"agent.period={LONGEST_PERIOD + 1:g}s", "agent/period", id="more than the longest period"),
        pytest.param("agent.period=4m1s", "agent/period", id="the same in minutes and seconds"),
        pytest.param("agent.period=1h", "agent/period", id="a period of an hour"),
        pytest.param("planning.preset=Fair", "planning/preset", id="an unknown preset"),
        pytest.param("operator.sizing=Huge", "operator/sizing", id="an unknown sizing by its old name"),
        pytest.param("operator.concurrency=0", "concurrency", id="no concurrency"),
        pytest.param("podDisruptionBudget.minAvailable=half", "minAvailable", id="a budget in words"),
        pytest.param("podAntiAffinity=soft", "podAntiAffinity", id="an unknown affinity"),
        pytest.param(
            "nodePool.taints[0].key=a,nodePool.taints[0].effect=PreferNoSchedule", "effect", id="a soft taint"
        ),
        pytest.param("sources=pods", "sources", id="sources that are no list"),
        pytest.param("sources={pods,jobs}", "sources/1", id="an unknown source"),
        pytest.param("sources={pods,pods}", "sources", id="a source twice"),
        pytest.param("nodePool.taints[0].effect=NoSchedule", "key", id="a taint without a key"),
        pytest.param("nodePool.selector.fast=true", "selector/fast", id="a label that is no string"),
        pytest.param("image.digest=sha256:123", "digest", id="half a digest"),
        pytest.param("image.pullPolicy=Sometimes", "pullPolicy", id="an unknown pull policy"),
        pytest.param("metrics.serviceMonitor.renderMode=skip", "renderMode", id="an unknown mode"),
        pytest.param("metrics.secure.port=70000", "port", id="a port out of range"),
        pytest.param("livenessProbe.path=/x", "livenessProbe", id="another page for a probe"),
        pytest.param("extraArgs=--debug", "extraArgs", id="arguments that are no list"),
    ],
)
def test_value_that_makes_no_sense_is_refused_by_its_name(setting, want):
    with pytest.raises(RefusedError, match=want):
        render(None, f"--set={setting}")


@pytest.mark.parametrize(
    ("settings", "want"),
    [
        pytest.param(
            "leaderElection.leaseDuration=500ms",
            "leaseDuration is 500ms, and must be from 1s to 24h",
            id="a short lease",
        ),
        pytest.param("leaderElection.leaseDuration=24h1s", "leaseDuration is 24h1s", id="a long lease"),
        pytest.param(
            "leaderElection.renewDeadline=1m",
            "renewDeadline is 1m, and must be less than leaderElection.leaseDuration, which is 15s",
            id="a deadline after the lease",
        ),
        pytest.param("leaderElection.retryPeriod=0s", "retryPeriod is 0s", id="no pause"),
        pytest.param(
            "leaderElection.retryPeriod=9s",
            "renewDeadline is 10s, and must be more than 1.2 times leaderElection.retryPeriod, which is 9s",
            id="a deadline before the second try",
        ),
        pytest.param("agent.enabled=true,agent.period=0s", "agent.period is 0s", id="no period"),
        pytest.param("agent.enabled=true,agent.period=0.0m", "agent.period is 0.0m", id="no period in minutes"),
        pytest.param(
            "agent.enabled=true,agent.period=1m1s",
            "agent.lifetime is 3m, and must be at least three times agent.period, which is 1m1s",
            id="a short lifetime",
        ),
        pytest.param(
            "metrics.secure.enabled=true,metrics.secure.port=8080", "port is 8080", id="the port of the pages"
        ),
        pytest.param("metrics.secure.enabled=true,metrics.secure.port=8081", "port is 8081", id="the debug port"),
    ],
)
def test_values_with_which_a_process_would_not_start_are_refused(settings, want):
    with pytest.raises(RefusedError, match=f"{want}.*would not start"):
        render(None, f"--set={settings}")


@pytest.mark.parametrize(
    "settings",
    [
        pytest.param("leaderElection.leaseDuration=1h0.5s,leaderElection.renewDeadline=59m60s", id="several units"),
        pytest.param("agent.enabled=true,agent.period=500ms,agent.lifetime=1.5s", id="exactly three periods"),
        pytest.param("leaderElection.enabled=false,leaderElection.retryPeriod=0s,replicaCount=1", id="no election"),
        pytest.param("agent.period=0s,metrics.secure.port=8080", id="parts that are off"),
    ],
)
def test_times_that_fit_together_are_accepted(settings):
    assert render(None, f"--set={settings}").one("Deployment")


@pytest.mark.parametrize(
    "setting",
    [
        pytest.param("podDisruptionBudget.maxUnavailable=0", id="none away"),
        pytest.param("podDisruptionBudget.minAvailable=50%", id="a percentage"),
        pytest.param("planning.keepNodesFreeFor=0", id="never, as a number"),
        pytest.param("operator.holdFor=0", id="never, by the old name"),
        pytest.param("operator.unreachableAfter=1h30m", id="hours and minutes"),
        pytest.param("operator.unreachableAfter=1.5h", id="one and a half"),
        pytest.param(f"agent.period={LONGEST_PERIOD:g}s", id="the longest period"),
        pytest.param(f"agent.period={LONGEST_PERIOD / 60:g}m", id="the same in minutes"),
        pytest.param("agent.period=3m59s", id="a little less"),
        pytest.param("agent.period=500ms", id="half a second"),
    ],
)
def test_value_that_makes_sense_is_taken(setting):
    assert render(None, f"--set={setting}").kinds()
