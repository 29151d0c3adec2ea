"""Objects for the Prometheus operator on clusters that know their kinds and on those that do not, and certificates."""

import base64

import pytest

from sandbox import HelmError

MONITOR = "monitoring.coreos.com/v1/servicemonitors/lockstep"
RULE = "monitoring.coreos.com/v1/prometheusrules/lockstep"
NO_KINDS = {"enabled": False}


def observed(mode, **more):
    both = {"enabled": True, "renderMode": mode}
    return {"crds": NO_KINDS, "metrics": {"serviceMonitor": both, "prometheusRule": both | more}}


def test_cluster_without_the_kinds_gets_everything_else(release):
    said = release.install(observed("skipIfMissing"))

    assert "The release contains no ServiceMonitor, since the cluster does not have this kind." in said
    assert "The release contains no PrometheusRule, since the cluster does not have this kind." in said
    assert {one["kind"] for one in release.manifests()} & {"ServiceMonitor", "PrometheusRule"} == set()
    assert release.operators()


def test_cluster_without_the_kinds_is_refused_where_they_are_asked_for(release):
    with pytest.raises(HelmError, match="The cluster has no kind ServiceMonitor"):
        release.install(observed("failIfMissing"))
    with pytest.raises(HelmError, match="no matches for kind"):
        release.install(observed("alwaysRender"))

    assert not release.operators()


def test_cluster_with_the_kinds_gets_them(release, monitored):
    said = release.install(observed("failIfMissing", thresholds={"cycleStalledSeconds": 7}))

    assert "There is no" not in said
    assert release.read(MONITOR)["spec"]["namespaceSelector"] == {"matchNames": [release.namespace]}
    [group] = release.read(RULE)["spec"]["groups"]
    [threshold] = [rule for rule in group["rules"] if rule.get("record") == "lockstep:threshold:cycleStalledSeconds"]
    assert threshold["expr"] == "vector(7)"


def test_certificate_that_helm_made_stays_in_upgrades(release):
    values = {"crds": NO_KINDS, "metrics": {"secure": {"enabled": True}}}
    release.install(values)
    first = release.read("v1/secrets/lockstep-metrics-tls")

    release.upgrade(values | {"log": {"level": "debug"}})

    assert release.read("v1/secrets/lockstep-metrics-tls")["data"] == first["data"]
    assert base64.b64decode(first["data"]["tls.crt"]).startswith(b"-----BEGIN CERTIFICATE-----")
