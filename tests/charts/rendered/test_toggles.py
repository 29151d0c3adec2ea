"""Which objects there are: by default, and by each value that adds or takes some."""

import pytest

from charts.helm import RefusedError, render

MONITOR, RULE = ("monitoring.coreos.com/v1/ServiceMonitor", "monitoring.coreos.com/v1/PrometheusRule")
ALWAYS = {"Deployment", "Service"}
DEFAULT = ALWAYS | {
    "ClusterRole",
    "ClusterRoleBinding",
    "Lease",
    "PodDisruptionBudget",
    "Role",
    "RoleBinding",
    "ServiceAccount",
}


def test_defaults_need_no_kind_that_a_cluster_may_lack():
    assert render().kinds() == DEFAULT


@pytest.mark.parametrize(
    ("values", "want_more", "want_less"),
    [
        pytest.param({"rbac": {"create": False}}, "", "ClusterRole ClusterRoleBinding Role RoleBinding", id="no roles"),
        pytest.param({"serviceAccount": {"create": False}}, "", "ServiceAccount", id="no account"),
        pytest.param(
            {"replicaCount": 1, "leaderElection": {"enabled": False}},
            "",
            "Lease Role RoleBinding PodDisruptionBudget",
            id="no lease",
        ),
        pytest.param({"podDisruptionBudget": {"enabled": False}}, "", "PodDisruptionBudget", id="no budget"),
        pytest.param({"networkPolicy": {"enabled": True}}, "NetworkPolicy", "", id="a network policy"),
        pytest.param({"grafanaDashboard": {"enabled": True}}, "ConfigMap", "", id="a dashboard"),
        pytest.param({"metrics": {"secure": {"enabled": True}}}, "Secret", "", id="secured metrics"),
        pytest.param(
            {"metrics": {"secure": {"enabled": True, "secretName": "mine"}}},
            "",
            "",
            id="metrics secured by my own Secret",
        ),
        pytest.param({"tenantAnswers": {"enabled": True}}, "APIService Secret", "", id="answers for tenants"),
        pytest.param(
            {"tenantAnswers": {"enabled": True, "secretName": "mine"}},
            "APIService",
            "",
            id="answers for tenants by my own Secret",
        ),
        pytest.param({"record": {"enabled": True}}, "StatefulSet", "", id="a record"),
        pytest.param(
            {"record": {"enabled": True, "users": True}},
            "StatefulSet MutatingAdmissionPolicy MutatingAdmissionPolicyBinding ValidatingAdmissionPolicy "
            "ValidatingAdmissionPolicyBinding",
            "",
            id="a record with users",
        ),
        pytest.param(
            {"extraObjects": [{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "x"}}]},
            "Secret",
            "",
            id="more",
        ),
    ],
)
def test_value_adds_or_takes(values, want_more, want_less):
    assert render(values).kinds() == (DEFAULT | set(want_more.split())) - set(want_less.split())


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        pytest.param(MONITOR, lambda **more: {"metrics": {"serviceMonitor": {"enabled": True, **more}}}, id="monitor"),
        pytest.param(RULE, lambda **more: {"metrics": {"prometheusRule": {"enabled": True, **more}}}, id="rules"),
    ],
)
class TestRenderMode:
    def test_skips_what_the_cluster_does_not_know(self, kind, values):
        assert render(values()).kinds() == DEFAULT
        assert render(values(), f"--api-versions={kind}").kinds() == DEFAULT | {kind.rsplit("/", 1)[1]}

    def test_fails_for_values_that_must_fail(self, kind, values):
        with pytest.raises(
            RefusedError, match=rf"The cluster has no kind {kind.rsplit('/', 1)[1]} .*: install the Prometheus"
        ):
            render(values(renderMode="failIfMissing"))
        assert kind.rsplit("/", 1)[1] in render(values(renderMode="failIfMissing"), f"--api-versions={kind}").kinds()

    def test_renders_for_values_that_must_render(self, kind, values):
        assert kind.rsplit("/", 1)[1] in render(values(renderMode="alwaysRender")).kinds()

    def test_is_nothing_where_the_object_is_off(self, kind, values):
        off = values(renderMode="alwaysRender", enabled=False)

        assert render(off, f"--api-versions={kind}").kinds() == DEFAULT


@pytest.mark.parametrize(
    ("budget", "want"),
    [
        pytest.param({}, {"minAvailable": 1}, id="default"),
        pytest.param({"minAvailable": "50%"}, {"minAvailable": "50%"}, id="percentage"),
        pytest.param({"maxUnavailable": 1}, {"maxUnavailable": 1}, id="the most away wins"),
        pytest.param({"maxUnavailable": 0}, {"maxUnavailable": 0}, id="none away is a number too"),
        pytest.param(
            {"maxUnavailable": "0%", "minAvailable": 2}, {"maxUnavailable": "0%"}, id="wins over what is given"
        ),
        pytest.param(
            {"unhealthyPodEvictionPolicy": "AlwaysAllow"},
            {"minAvailable": 1, "unhealthyPodEvictionPolicy": "AlwaysAllow"},
            id="unhealthy pods",
        ),
    ],
)
def test_budget_says_the_most_away_or_the_fewest_there(budget, want):
    spec = render({"podDisruptionBudget": budget}).one("PodDisruptionBudget")["spec"]

    assert {key: value for key, value in spec.items() if key != "selector"} == want


def test_single_replica_has_no_budget_that_would_block_every_drain():
    assert "PodDisruptionBudget" not in render({"replicaCount": 1}).kinds()


def test_several_replicas_without_a_lease_are_refused():
    with pytest.raises(RefusedError, match="several operators would write at once"):
        render({"leaderElection": {"enabled": False}})


def test_network_policy_lets_in_what_is_asked_and_out_what_is_needed():
    default = render({"networkPolicy": {"enabled": True}}).one("NetworkPolicy")["spec"]
    secured = render({"networkPolicy": {"enabled": True}, "metrics": {"secure": {"enabled": True}}})
    given = render({"networkPolicy": {"enabled": True, "ingress": [{"from": []}], "egress": [{"to": []}]}})

    assert default["ingress"] == [{"ports": [{"port": "http", "protocol": "TCP"}]}]
    assert [port["port"] for port in default["egress"][0]["ports"]] == [53, 53, 443, 6443, 7711]
    assert [port["port"] for port in secured.one("NetworkPolicy")["spec"]["ingress"][0]["ports"]] == ["http", "metrics"]
    assert given.one("NetworkPolicy")["spec"]["ingress"] == [{"from": []}]
    assert given.one("NetworkPolicy")["spec"]["egress"] == [{"to": []}]
