"""The agents' pods: off by default, and with no more of the node than they need."""

import pytest
from click.core import ParameterSource

from charts.helm import HAS_MONITORING, VALUES_FILES, render
from lockstep.cli.agent import agent

COMMANDLINE = ParameterSource.COMMANDLINE
MEASURED = [file for file in VALUES_FILES if "agent:\n  enabled: true" in file.read_text()]
HISTORY = "/var/lib/lockstep-agent"


def agents(values=None):
    """The DaemonSet where it is enabled."""
    enabled = {"agent": {"enabled": True, **(values or {}).pop("agent", {})}}
    return render({**(values or {}), **enabled}).one("DaemonSet")


def pod(values=None):
    return agents(values)["spec"]["template"]["spec"]


def test_no_agent_runs_by_default():
    assert not {name for name in render().names() if "agent" in name}


def test_agents_account_and_policy_bear_one_name():
    rendered = render({"fullnameOverride": "placer", "agent": {"enabled": True, "serviceAccount": {"name": "meters"}}})

    [condition] = rendered.one("ValidatingAdmissionPolicy")["spec"]["matchConditions"]
    assert rendered.one("DaemonSet")["spec"]["template"]["spec"]["serviceAccountName"] == "meters"
    assert rendered.one("ServiceAccount", "meters")["automountServiceAccountToken"] is False
    assert rendered.one("ClusterRoleBinding", "placer-agent")["subjects"][0]["name"] == "meters"
    assert condition["expression"].endswith("'system:serviceaccount:lockstep-system:meters'")
    assert rendered.one("ValidatingAdmissionPolicyBinding")["spec"]["policyName"] == "placer-agent"


def test_account_of_others_is_used_where_none_is_made():
    rendered = render({"agent": {"enabled": True, "serviceAccount": {"create": False, "name": "theirs"}}})

    assert "ServiceAccount/theirs" not in rendered.names()
    assert rendered.one("DaemonSet")["spec"]["template"]["spec"]["serviceAccountName"] == "theirs"


def test_owner_of_a_node_says_no_by_a_label():
    affinity = pod()["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]

    assert affinity == {
        "nodeSelectorTerms": [
            {"matchExpressions": [{"key": "lockstep.dev/agent", "operator": "NotIn", "values": ["off"]}]}
        ]
    }


def test_agents_run_where_gangs_do():
    pool = {"selector": {"pool": "gangs"}, "taints": [{"key": "pool", "value": "gangs", "effect": "NoSchedule"}]}
    more = {"tolerations": [{"operator": "Exists"}], "nodeSelector": {"kind": "desktop"}}

    spec = pod({"nodePool": pool, "agent": more})

    assert spec["nodeSelector"] == {"pool": "gangs", "kind": "desktop", "kubernetes.io/os": "linux"}
    assert spec["tolerations"] == [
        {"key": "pool", "operator": "Equal", "value": "gangs", "effect": "NoSchedule"},
        {"operator": "Exists"},
    ]


def test_agent_runs_unprivileged_and_writes_only_its_history():
    spec = pod()
    [container] = spec["containers"]

    assert (spec["securityContext"]["runAsNonRoot"], spec["securityContext"]["runAsUser"]) == (True, 65532)
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert {mount["mountPath"] for mount in container["volumeMounts"] if not mount.get("readOnly")} == {HISTORY}
    assert {volume["hostPath"]["path"] for volume in spec["volumes"]} == {
        "/sys/fs/cgroup",
        "/run/systemd",
        "/dev",
        HISTORY,
    }
    assert not {"hostPID", "hostNetwork", "hostIPC"} & spec.keys()


@pytest.mark.parametrize(
    ("context", "want"), [({}, "65532"), ({"runAsUser": 1234}, "1234"), ({"runAsUser": None}, "65532")]
)
def test_history_is_given_to_the_agents_user_by_who_may_do_nothing_else(context, want):
    [init] = pod({"agent": {"podSecurityContext": context, "historyDirectory": "/var/lib/x"}})["initContainers"]

    assert init["command"][-2:] == ["/var/lib/x", want]
    assert init["securityContext"]["capabilities"] == {"drop": ["ALL"], "add": ["CHOWN"]}
    assert [mount["mountPath"] for mount in init["volumeMounts"]] == ["/var/lib/x"]


@pytest.mark.parametrize("values", [pytest.param(file, id=file.stem) for file in MEASURED])
def test_arguments_are_understood_by_the_agent(values):
    [container] = render(values, *HAS_MONITORING).one("DaemonSet")["spec"]["template"]["spec"]["containers"]
    command, *arguments = container["args"]

    understood = agent.make_context("agent", list(arguments))

    given = {name for name in understood.params if understood.get_parameter_source(name) is COMMANDLINE}
    assert command == "agent"
    assert len(given) == len(arguments)


def test_some_values_file_has_agents():
    assert MEASURED


def test_agents_selector_is_that_of_the_first_release_for_ever():
    assert agents()["spec"]["selector"] == {
        "matchLabels": {
            "app.kubernetes.io/name": "lockstep",
            "app.kubernetes.io/instance": "lockstep",
            "app.kubernetes.io/component": "agent",
        }
    }


@pytest.mark.parametrize(
    ("given", "want"),
    [({}, "65532"), ({"runAsUser": 1000}, "1000"), ({"runAsUser": 0, "runAsNonRoot": False}, "0")],
    ids=["the usual one", "another one", "root"],
)
def test_folder_of_the_history_is_owned_by_the_user_that_writes_it(given, want):
    """Root without capabilities can't write into the folder of another user."""
    [init] = pod({"agent": {"podSecurityContext": given}})["initContainers"]

    assert init["command"][-1] == want
