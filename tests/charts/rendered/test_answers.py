"""The server of answers for tenants: off by default, and with an account and a network of its own."""

import base64

import pytest
from cryptography import x509

from charts.helm import VALUES_FILES, RefusedError, render
from lockstep.api.cluster.answers_service import apiservice_manifest
from lockstep.cli.answers import answers

NAME, NAMESPACE = "lockstep-answers", "lockstep-system"


def rendered(**more):
    return render({"tenantAnswers": {"enabled": True}, **more})


def test_no_server_runs_by_default():
    assert not {name for name in render().names() if "answers" in name}


def test_apiservice_leads_nowhere_until_the_server_is_there_and_differs_in_nothing_else():
    manifest = rendered().one("APIService", "v1alpha1.answers.lockstep.dev")
    written = apiservice_manifest(NAMESPACE, NAME, 443, "")["spec"]

    assert manifest["spec"] == {key: written[key] for key in written.keys() - {"service", "caBundle"}}


def test_certificate_is_for_the_service_and_signed_by_the_authority_beside_it():
    objects = rendered()
    data = {key: base64.b64decode(text) for key, text in objects.one("Secret", f"{NAME}-tls")["data"].items()}
    served, authority = (x509.load_pem_x509_certificate(data[name]) for name in ("tls.crt", "ca.crt"))

    names = served.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert f"{NAME}.{NAMESPACE}.svc" in names.get_values_for_type(x509.DNSName)
    served.verify_directly_issued_by(authority)
    assert objects.one("Service", NAME)["spec"]["ports"] == [{"name": "https", "port": 443, "targetPort": "https"}]


def test_server_has_an_account_of_its_own_and_may_write_nothing_in_its_container():
    spec = rendered().one("Deployment", NAME)["spec"]["template"]["spec"]
    [container] = spec["containers"]

    assert spec["serviceAccountName"] == NAME != "lockstep"
    assert container["securityContext"]["readOnlyRootFilesystem"] is True
    assert all(mount["readOnly"] for mount in container["volumeMounts"])


def test_settings_are_those_of_the_operator_of_this_release():
    objects = rendered(leaderElection={"resourceName": "other"})
    [container] = objects.one("Deployment", NAME)["spec"]["template"]["spec"]["containers"]

    assert f"--settings={NAMESPACE}/other-settings" in container["args"]
    assert "--tenant-answers=true" in objects.one("Deployment")["spec"]["template"]["spec"]["containers"][0]["args"]
    [rule] = objects.one("Role", "lockstep-settings-reader")["rules"]
    assert rule["resourceNames"] == ["other-settings"]


def test_network_policy_lets_the_api_server_in_and_nothing_else():
    policy = rendered(networkPolicy={"enabled": True}).one("NetworkPolicy", NAME)["spec"]

    assert [port["port"] for rule in policy["ingress"] for port in rule["ports"]] == ["https"]
    assert policy["podSelector"] == rendered().one("Deployment", NAME)["spec"]["selector"]


def test_without_a_lease_no_settings_are_published_so_it_is_refused():
    with pytest.raises(RefusedError, match=r"tenantAnswers\.enabled needs leaderElection\.enabled"):
        rendered(replicaCount=1, leaderElection={"enabled": False})


def test_arguments_are_understood_by_the_server():
    [values] = [file for file in VALUES_FILES if file.stem == "answering-values"]
    [container] = render(values).one("Deployment", NAME)["spec"]["template"]["spec"]["containers"]
    command, *arguments = container["args"]

    understood = answers.make_context("answers", list(arguments))

    assert (command, understood.params["listen_port"]) == ("answers", 9444)
