"""What watches the operator: the ServiceMonitor, the rules, the dashboard, and the certificate of secured metrics."""

import base64
import json
import shutil

import pytest
import yaml
from cryptography import x509

from charts.helm import CHART, HAS_MONITORING, RefusedError, render

RULES = {
    "groups": [
        {
            "name": "lockstep",
            "rules": [
                {"record": "lockstep:threshold:patience", "expr": "vector(60)"},
                {"record": "lockstep:threshold:errors", "expr": "vector(0)"},
                {
                    "alert": "LockstepSlow",
                    "expr": "wait > on () lockstep:threshold:patience",
                    "annotations": {"description": "{{ $value | humanize }} s on {{ $labels.job }}."},
                },
            ],
        }
    ]
}

RUNBOOKS = {"runbookBaseUrl": "https://git.example.com/lockstep/main/"}


@pytest.fixture
def chart(tmp_path):
    """The chart with rules and a dashboard of the test's own."""
    copy = tmp_path / "lockstep"
    shutil.copytree(CHART, copy)
    (copy / "files").mkdir(exist_ok=True)
    (copy / "files" / "rules.yaml").write_text(yaml.safe_dump(RULES))
    (copy / "files" / "dashboard.json").write_text('{\n  "title": "Lockstep / {{ job }}"\n}\n')
    return copy


def monitor(**more):
    return {"metrics": {"serviceMonitor": {"enabled": True, **more}}}


def rules(chart, **more):
    values = {"metrics": {"prometheusRule": {"enabled": True, **more}}}
    return render(values, *HAS_MONITORING, chart=chart).one("PrometheusRule")


def test_monitor_scrapes_every_pod_behind_the_service():
    rendered = render(monitor(), *HAS_MONITORING)
    spec = rendered.one("ServiceMonitor")["spec"]

    assert spec["namespaceSelector"] == {"matchNames": ["lockstep-system"]}
    assert spec["endpoints"] == [
        {"port": "metrics", "path": "/metrics", "interval": "30s", "scrapeTimeout": "25s", "honorLabels": False}
    ]
    assert spec["selector"]["matchLabels"].items() <= rendered.one("Service")["metadata"]["labels"].items()
    assert rendered.one("Service")["spec"]["ports"] == [{"name": "metrics", "port": 8080, "targetPort": "http"}]


def test_monitor_can_live_elsewhere_under_other_labels():
    metadata = render(monitor(namespace="monitoring", additionalLabels={"release": "x"}), *HAS_MONITORING).one(
        "ServiceMonitor"
    )["metadata"]

    assert metadata["namespace"] == "monitoring"
    assert metadata["labels"]["release"] == "x"


def test_monitor_trusts_secured_metrics_by_their_certificate():
    values = monitor()
    values["metrics"]["secure"] = {"enabled": True, "secretName": "mine"}
    [endpoint] = render(values, *HAS_MONITORING).one("ServiceMonitor")["spec"]["endpoints"]

    assert endpoint["scheme"] == "https"
    assert endpoint["tlsConfig"] == {
        "serverName": "lockstep.lockstep-system.svc",
        "ca": {"secret": {"name": "mine", "key": "ca.crt"}},
    }
    assert endpoint["bearerTokenFile"] == "/var/run/secrets/kubernetes.io/serviceaccount/token"


def test_certificate_that_helm_makes_is_for_the_service():
    rendered = render({"metrics": {"secure": {"enabled": True}}})
    data = {key: base64.b64decode(value) for key, value in rendered.one("Secret")["data"].items()}
    certificate = x509.load_pem_x509_certificate(data["tls.crt"])
    authority = x509.load_pem_x509_certificate(data["ca.crt"])

    names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert "lockstep.lockstep-system.svc" in names.get_values_for_type(x509.DNSName)
    certificate.verify_directly_issued_by(authority)
    assert rendered.pod["volumes"][0]["secret"]["secretName"] == rendered.one("Secret")["metadata"]["name"]


def test_rules_are_those_of_the_file(chart):
    assert rules(chart)["spec"] == RULES


def test_threshold_of_the_values_takes_the_place_of_the_files(chart):
    [group] = rules(chart, thresholds={"patience": 0.5})["spec"]["groups"]

    assert [rule["expr"] for rule in group["rules"]] == [
        "vector(0.5)",
        "vector(0)",
        "wait > on () lockstep:threshold:patience",
    ]


def test_threshold_that_is_not_there_is_refused_with_those_that_are(chart):
    with pytest.raises(RefusedError, match=r"thresholds.patients is no threshold .* there are: patience, errors\."):
        rules(chart, thresholds={"patients": 1})


def test_dashboard_is_found_by_the_sidecar(chart):
    values = {"grafanaDashboard": {"enabled": True, "namespace": "grafana", "annotations": {"grafana_folder": "Batch"}}}
    dashboard = render(values, chart=chart).one("ConfigMap")

    assert dashboard["metadata"]["labels"]["grafana_dashboard"] == "1"
    assert dashboard["metadata"]["namespace"] == "grafana"
    assert dashboard["metadata"]["annotations"] == {"grafana_folder": "Batch"}
    assert dashboard["data"] == {"lockstep-overview.json": '{\n  "title": "Lockstep / {{ job }}"\n}\n'.rstrip()}


def links(**values):
    """Title and address of each link of the dashboard, and the dashboard without them."""
    rendered = render({"grafanaDashboard": {"enabled": True, **values}, "metrics": {"prometheusRule": RUNBOOKS}})
    document = json.loads(rendered.one("ConfigMap")["data"]["lockstep-overview.json"])
    return [(one["title"], one["url"]) for one in document["links"]], document


def test_dashboard_links_to_the_timeline_and_the_runbooks_at_the_addresses_of_the_values():
    found, document = links(timelineUrl="https://gangs.example.com/timeline")

    assert found == [
        ("Timeline", "https://gangs.example.com/timeline"),
        ("Runbooks", "https://git.example.com/lockstep/main/docs/runbooks"),
        ("What to watch", "https://git.example.com/lockstep/main/docs/operations/watching.md"),
    ]
    shipped = json.loads((CHART / "files" / "dashboard.json").read_text())
    assert {**document, "links": []} == {**shipped, "links": []}


def test_dashboard_has_no_link_whose_address_is_unknown():
    assert [title for title, _ in links()[0]] == ["Runbooks", "What to watch"]


@pytest.mark.parametrize("address", ["/timeline", "gangs.example.com/timeline", "https://"])
def test_address_of_the_timeline_that_is_none_is_refused(address):
    with pytest.raises(RefusedError, match="timelineUrl"):
        links(timelineUrl=address)
