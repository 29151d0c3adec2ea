"""The recorder: off by default, with an account, a network and a volume of its own."""

import base64

import pytest
from cryptography import x509
from cryptography.x509.oid import ExtendedKeyUsageOID

from charts.helm import VALUES_FILES, RefusedError, render
from lockstep.api.records.record_maps import SLOTS, records_map_name
from lockstep.cli.answers import answers
from lockstep.cli.recording.record import record

NAME, NAMESPACE = "lockstep-record", "lockstep-system"
DAY = 86_400


def rendered(**more):
    return render({"record": {"enabled": True}, **more})


def test_no_recorder_runs_by_default_and_nothing_is_handed_over():
    objects = render()

    assert not {name for name in objects.names() if "record" in name}
    assert not [argument for argument in objects.container["args"] if "record" in argument]


def test_recorder_has_an_account_of_its_own_and_may_write_nothing_but_its_volume():
    spec = rendered().one("StatefulSet", NAME)["spec"]
    pod = spec["template"]["spec"]
    [container] = pod["containers"]

    assert spec["replicas"] == 1
    assert pod["serviceAccountName"] == NAME != "lockstep"
    assert pod["securityContext"] == {"fsGroup": 65532, **render().pod["securityContext"]}
    assert container["securityContext"]["readOnlyRootFilesystem"] is True
    assert [mount["mountPath"] for mount in container["volumeMounts"]] == ["/var/lib/lockstep"]
    assert container["env"] == [{"name": "SQLITE_TMPDIR", "value": "/var/lib/lockstep"}]
    assert "ports" not in container


def test_recorder_may_remove_the_configmaps_that_the_operator_of_this_release_creates_and_no_others():
    objects = rendered(leaderElection={"resourceName": "other"})
    [_, rule] = objects.one("Role", NAME)["rules"]

    assert rule["verbs"] == ["delete"]
    assert rule["resourceNames"] == [records_map_name("other", slot) for slot in range(SLOTS)]
    assert "--record=true" in objects.container["args"]


def test_nothing_may_connect_to_the_recorder():
    policy = rendered(networkPolicy={"enabled": True}).one("NetworkPolicy", NAME)["spec"]

    assert policy["ingress"] == []
    assert policy["podSelector"] == rendered().one("StatefulSet", NAME)["spec"]["selector"]


def test_users_on_record_are_refused_where_no_policy_can_write_them():
    users = {"record": {"enabled": True, "users": True}}

    with pytest.raises(RefusedError, match=r"record\.users needs Kubernetes 1\.36, and this cluster has v1\.35\.4"):
        render(users, "--kube-version=1.35.4")
    assert "--record-users=true" in render(users, "--kube-version=1.36.0").container["args"]
    assert render({"record": {"enabled": True}}, "--kube-version=1.35.4").one("StatefulSet", NAME)


def test_users_on_record_are_refused_without_a_record():
    with pytest.raises(RefusedError, match=r"record\.users needs record\.enabled"):
        render({"record": {"users": True}})


# With answers for tenants, the server of these asks the recorder

ANSWERS = "lockstep-answers"


@pytest.fixture(scope="module")
def both():
    return render({"record": {"enabled": True}, "tenantAnswers": {"enabled": True}, "networkPolicy": {"enabled": True}})


def test_egress_rules_of_the_values_are_for_all_pods_that_reach_the_api_server():
    api_server = {"ports": [{"port": 8443, "protocol": "TCP"}]}
    policy = {"networkPolicy": {"enabled": True, "egress": [api_server]}}
    objects = render({"record": {"enabled": True}, "tenantAnswers": {"enabled": True}} | policy)

    for name in ("lockstep", NAME, ANSWERS):
        assert objects.one("NetworkPolicy", name)["spec"]["egress"][0] == api_server


def pod_of(objects, kind, name):
    return objects.one(kind, name)["spec"]["template"]["spec"]


def test_server_of_answers_and_recorder_know_each_other_by_one_secret(both):
    pods = pod_of(both, "StatefulSet", NAME), pod_of(both, "Deployment", ANSWERS)
    contexts = [
        command.make_context(command.name, pod["containers"][0]["args"][1:]).params
        for command, pod in zip((record, answers), pods, strict=True)
    ]

    secret = both.one("Secret", f"{NAME}-tls")["metadata"]["name"]
    folders = contexts[0]["certificates"], contexts[1]["recorder_certificates"]
    for pod, folder in zip(pods, folders, strict=True):
        [mount] = [one for one in pod["containers"][0]["volumeMounts"] if one["mountPath"] == str(folder)]
        [volume] = [one for one in pod["volumes"] if one["name"] == mount["name"]]
        assert (mount["readOnly"], volume["secret"]["secretName"]) == (True, secret)


def test_certificate_is_for_the_address_at_which_the_server_of_answers_asks(both):
    args = pod_of(both, "Deployment", ANSWERS)["containers"][0]["args"]
    [asked] = [one.removeprefix("--recorder=") for one in args if one.startswith("--recorder=")]
    data = both.one("Secret", f"{NAME}-tls")["data"]
    served, authority = (x509.load_pem_x509_certificate(base64.b64decode(data[name])) for name in ("tls.crt", "ca.crt"))

    assert asked == f"{NAME}.{NAMESPACE}.svc:443"
    names = served.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert asked.partition(":")[0] in names.get_values_for_type(x509.DNSName)
    usages = served.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
    assert {ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH} <= set(usages)
    served.verify_directly_issued_by(authority)


def test_only_the_server_of_answers_may_connect_to_the_recorder(both):
    policy, service = both.one("NetworkPolicy", NAME)["spec"], both.one("Service", NAME)["spec"]
    recorder, asker = both.one("StatefulSet", NAME)["spec"], both.one("Deployment", ANSWERS)["spec"]
    [port] = recorder["template"]["spec"]["containers"][0]["ports"]

    assert policy["ingress"] == [
        {"from": [{"podSelector": asker["selector"]}], "ports": [{"port": port["name"], "protocol": "TCP"}]}
    ]
    assert {"to": [{"podSelector": recorder["selector"]}], "ports": [{"port": "history", "protocol": "TCP"}]} in (
        both.one("NetworkPolicy", ANSWERS)["spec"]["egress"]
    )
    assert [port["port"] for port in policy["egress"][0]["ports"]] == [53, 53, 443, 6443]
    assert service["ports"] == [{"name": "history", "port": 443, "targetPort": port["name"]}]
    assert service["selector"] == recorder["selector"]["matchLabels"]


@pytest.mark.parametrize("alone", ["record", "tenantAnswers"])
def test_one_of_both_alone_neither_asks_nor_answers(alone):
    objects = render({alone: {"enabled": True}})

    kind, name = ("StatefulSet", NAME) if alone == "record" else ("Deployment", ANSWERS)
    assert not [one for one in pod_of(objects, kind, name)["containers"][0]["args"] if "record-tls" in one]
    assert f"{NAME}-tls" not in objects.names()


def test_users_are_on_record_only_with_the_policies_that_let_the_operator_of_this_release_write_them():
    objects = render({"record": {"enabled": True, "users": True}, "fullnameOverride": "other"})

    assert "--record-users=true" in objects.container["args"]
    assert "--record-users=false" in rendered().container["args"]
    for kind in ("MutatingAdmissionPolicy", "ValidatingAdmissionPolicy"):
        assert objects.one(f"{kind}Binding")["spec"]["policyName"] == objects.one(kind)["metadata"]["name"]
        expression = objects.one(kind)["spec"]["matchConditions"][0]["expression"]
        account = objects.pod["serviceAccountName"]
        assert expression == f"request.userInfo.username != 'system:serviceaccount:{NAMESPACE}:{account}'"


def test_without_a_lease_nothing_is_handed_over_so_it_is_refused():
    with pytest.raises(RefusedError, match=r"record\.enabled needs leaderElection\.enabled"):
        rendered(replicaCount=1, leaderElection={"enabled": False})


def test_arguments_are_understood_by_the_recorder():
    [values] = [file for file in VALUES_FILES if file.stem == "recording-values"]
    spec = render(values).one("StatefulSet", NAME)["spec"]
    [container] = spec["template"]["spec"]["containers"]
    command, *arguments = container["args"]

    understood = record.make_context("record", list(arguments)).params

    assert (command, understood["namespace"]) == ("record", NAMESPACE)
    assert (understood["keep"], understood["keep_users"]) == (364 * DAY, DAY / 2)
    assert understood["most_bytes"] == 2**30
    [claim] = spec["volumeClaimTemplates"]
    assert claim["spec"]["storageClassName"] == "fast"


def test_defaults_of_the_chart_are_those_of_the_command_and_the_file_is_smaller_than_the_volume():
    spec = rendered().one("StatefulSet", NAME)["spec"]
    [container] = spec["template"]["spec"]["containers"]
    _, *arguments = container["args"]

    given = record.make_context("record", list(arguments)).params
    usual = record.make_context("record", [f"--namespace={NAMESPACE}"]).params

    assert {name: given[name] for name in ("keep", "keep_users", "most_bytes", "database")} == {
        name: usual[name] for name in ("keep", "keep_users", "most_bytes", "database")
    }
    assert spec["volumeClaimTemplates"][0]["spec"]["resources"]["requests"]["storage"] == "5Gi"
    assert given["most_bytes"] < 5 * 2**30


def test_egress_rules_of_the_values_are_those_of_all_pods():
    """The API server may have another port, and no other value lets these pods reach it."""
    rule = {"ports": [{"port": 8443, "protocol": "TCP"}]}
    parts = {"record": {"enabled": True}, "tenantAnswers": {"enabled": True}}
    objects = render({**parts, "networkPolicy": {"enabled": True, "egress": [rule]}})

    for name in ("lockstep", NAME, ANSWERS):
        assert objects.one("NetworkPolicy", name)["spec"]["egress"][0] == rule
    assert len(objects.one("NetworkPolicy", ANSWERS)["spec"]["egress"]) == 2
