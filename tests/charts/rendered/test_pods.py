"""The operator's pods: what values make of them."""

import click
import pytest
from click.core import ParameterSource

from charts.helm import HAS_MONITORING, VALUES_FILES, RefusedError, render
from lockstep import __version__
from lockstep.cli.check import check
from lockstep.cli.run import run

COMMANDLINE = ParameterSource.COMMANDLINE
ELSEWHERE = {
    "topologyKey": "kubernetes.io/hostname",
    "labelSelector": {
        "matchLabels": {
            "app.kubernetes.io/name": "lockstep",
            "app.kubernetes.io/instance": "lockstep",
            "app.kubernetes.io/component": "operator",
        }
    },
}


@pytest.mark.parametrize(
    ("image", "want"),
    [
        pytest.param({}, f"lockstep:{__version__}", id="default"),
        pytest.param({"registry": "r.example.com:5000"}, f"r.example.com:5000/lockstep:{__version__}", id="registry"),
        pytest.param({"repository": "team/gangs", "tag": "v2"}, "team/gangs:v2", id="repository and tag"),
        pytest.param(
            {"tag": "v2", "digest": f"sha256:{'0' * 64}"}, f"lockstep:v2@sha256:{'0' * 64}", id="digest beside the tag"
        ),
    ],
)
def test_image_is_put_together(image, want):
    rendered = render({"image": image})

    assert rendered.container["image"] == want
    assert rendered.one("Pod", "lockstep-test")["spec"]["containers"][0]["image"] == want


def test_defaults_are_two_pods_that_keep_apart_where_they_can():
    rendered = render()

    assert rendered.one("Deployment")["spec"]["replicas"] == 2
    assert rendered.pod["affinity"] == {
        "podAntiAffinity": {
            "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 100, "podAffinityTerm": ELSEWHERE}]
        }
    }


@pytest.mark.parametrize(
    ("values", "want"),
    [
        pytest.param({"podAntiAffinity": "none"}, None, id="none"),
        pytest.param(
            {"podAntiAffinity": "required"},
            {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [ELSEWHERE]}},
            id="required",
        ),
        pytest.param(
            {"podAntiAffinity": "required", "affinity": {"nodeAffinity": {"a": 1}}},
            {
                "nodeAffinity": {"a": 1},
                "podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [ELSEWHERE]},
            },
            id="beside other affinity",
        ),
        pytest.param(
            {"affinity": {"podAntiAffinity": {"mine": 1}}}, {"podAntiAffinity": {"mine": 1}}, id="replaced by one's own"
        ),
    ],
)
def test_affinity_is_ours_unless_another_is_given(values, want):
    assert render(values).pod.get("affinity") == want


def test_topology_spread_gets_the_selector_that_it_lacks():
    mine = {"topologyKey": "zone", "maxSkew": 1, "labelSelector": {"matchLabels": {"a": "b"}}}
    bare = {"topologyKey": "zone", "maxSkew": 1}

    assert render({"topologySpreadConstraints": [mine, bare]}).pod["topologySpreadConstraints"] == [
        mine,
        {**bare, "labelSelector": ELSEWHERE["labelSelector"]},
    ]


@pytest.mark.parametrize(
    ("values", "want"),
    [
        pytest.param(
            {},
            {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}},
            id="Kubernetes' own by default",
        ),
        pytest.param({"replicaCount": 1, "leaderElection": {"enabled": False}}, {"type": "Recreate"}, id="no lease"),
        pytest.param({"strategy": {"type": "Recreate"}}, {"type": "Recreate"}, id="given"),
    ],
)
def test_strategy_never_lets_two_write_side_by_side(values, want):
    assert render(values).one("Deployment")["spec"]["strategy"] == want


def test_pods_are_what_the_restricted_standard_asks_for():
    rendered = render()

    for pod in (rendered.pod, rendered.one("Pod", "lockstep-test")["spec"]):
        [container] = pod["containers"]
        assert pod["securityContext"] == {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}}
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }


def test_token_goes_to_the_operators_pods_and_to_no_other_pod_with_that_account():
    rendered = render()

    assert rendered.one("ServiceAccount")["automountServiceAccountToken"] is False
    assert rendered.pod["automountServiceAccountToken"] is True
    assert render({"serviceAccount": {"automount": False}}).pod["automountServiceAccountToken"] is False


def test_probes_ask_for_the_pages():
    container = render({"livenessProbe": {"periodSeconds": 30}}).container

    assert container["livenessProbe"] == {
        "httpGet": {"path": "/healthz", "port": "http"},
        "initialDelaySeconds": 10,
        "periodSeconds": 30,
        "timeoutSeconds": 5,
        "failureThreshold": 6,
    }
    assert container["readinessProbe"]["httpGet"] == {"path": "/readyz", "port": "http"}


def test_node_pool_becomes_options():
    pool = {
        "selector": {"pool": "gangs", "fast": "true"},
        "taints": [{"key": "pool", "value": "gangs", "effect": "NoSchedule"}, {"key": "own", "effect": "NoExecute"}],
    }

    arguments = render({"nodePool": pool}).container["args"]

    assert [one for one in arguments if "node-selector" in one or "taint" in one] == [
        "--node-selector=fast=true,pool=gangs",
        "--pool-taint=pool=gangs:NoSchedule",
        "--pool-taint=own:NoExecute",
    ]


@pytest.mark.parametrize(
    ("sources", "want"),
    [
        pytest.param([], [], id="none"),
        pytest.param(["pods"], ["--sources=pods"], id="pods"),
        pytest.param(["pods", "job"], ["--sources=pods,job"], id="two"),
    ],
)
def test_sources_become_one_option(sources, want):
    arguments = render({"sources": sources}).container["args"]

    assert [one for one in arguments if "sources" in one] == want


def test_lease_has_one_name_everywhere():
    rendered = render({"leaderElection": {"resourceName": "placer"}})
    rules = rendered.one("Role", "lockstep-leader-election")["rules"]

    assert rendered.one("Lease")["metadata"]["name"] == "placer"
    assert rendered.one("Lease")["spec"] == {}
    assert [rule.get("resourceNames") for rule in rules] == [["placer"], None]
    assert "--leader-elect-resource-name=placer" in rendered.container["args"]
    assert "--leader-elect-resource-namespace=lockstep-system" in rendered.container["args"]


def test_without_a_lease_no_option_is_about_it():
    arguments = render({"replicaCount": 1, "leaderElection": {"enabled": False}}).container["args"]

    assert [one for one in arguments if "elect" in one] == ["--leader-elect=false"]


def test_extra_arguments_come_last_and_so_win():
    assert render({"extraArgs": ["--log-level=debug"]}).container["args"][-1] == "--log-level=debug"


def test_secured_metrics_have_a_port_and_a_certificate():
    rendered = render({"metrics": {"secure": {"enabled": True, "port": 9443, "secretName": "mine"}}})

    assert {"name": "metrics", "containerPort": 9443} in rendered.container["ports"]
    assert rendered.container["volumeMounts"] == [
        {"name": "metrics-tls", "mountPath": "/etc/lockstep/metrics-tls", "readOnly": True}
    ]
    assert rendered.pod["volumes"][0]["secret"]["secretName"] == "mine"
    assert [one for one in rendered.container["args"] if "metrics" in one] == [
        "--metrics-secure=true",
        "--metrics-listen-port=9443",
        "--metrics-cert-dir=/etc/lockstep/metrics-tls",
    ]
    assert rendered.one("Service")["spec"]["ports"] == [{"name": "metrics", "port": 9443, "targetPort": "metrics"}]


@pytest.mark.parametrize("values", [pytest.param(file, id=file.stem) for file in VALUES_FILES])
def test_arguments_are_understood_by_the_operator(values):
    command, *arguments = render(values, *HAS_MONITORING).container["args"]

    understood = run.make_context("run", list(arguments))

    given = {parameter for parameter in understood.params if understood.get_parameter_source(parameter) is COMMANDLINE}
    assert command == "run"
    assert len(given) == len({argument.partition("=")[0] for argument in arguments})


def test_arguments_of_the_test_are_understood():
    command, *arguments = render().one("Pod", "lockstep-test")["spec"]["containers"][0]["args"]

    assert command == "check"
    assert check.make_context("check", arguments).params["image"].startswith("lockstep:")


@pytest.mark.parametrize(("sized", "needed"), [("sizedjob", "job"), ("sizedraycluster", "raycluster")])
def test_source_without_the_one_that_it_needs_is_refused_as_by_the_operator(sized, needed):
    with pytest.raises(RefusedError, match=f"sources has {sized}, which needs {needed}"):
        render({"sources": [sized]})
    with pytest.raises(click.BadParameter, match=f"{sized} needs {needed}"):
        run.make_context("run", [f"--sources={sized}"])

    assert render({"sources": [needed, sized]}).container["args"]
