import pytest

from eventually import eventually
from sandbox import Component, KubectlError, Options, Sandbox, SandboxError, start

USER = "system:serviceaccount:default:somebody"


def list_nodes_without_the_right(sandbox: Sandbox) -> None:
    kubeconfig = sandbox.kubeconfig_for_service_account("default", "somebody")
    with pytest.raises(KubectlError, match="nodes is forbidden"):
        sandbox.kubectl(f"--kubeconfig={kubeconfig}", "get", "nodes")


def test_requests_of_service_accounts_are_recorded_over_restarts_and_stay(tmp_path):
    with start(Options(name="audited", state=tmp_path / "state", audit=tmp_path / "audit")) as sandbox:
        sandbox.kubectl("create", "serviceaccount", "somebody")
        list_nodes_without_the_right(sandbox)
        sandbox.kill(Component.API_SERVER)
        sandbox.restart(Component.API_SERVER)
        list_nodes_without_the_right(sandbox)

        def of_nodes():
            return [event for event in sandbox.audit_events() if event.get("objectRef", {}).get("resource") == "nodes"]

        first, second = eventually(lambda: len(of_nodes()) == 2 and of_nodes())

    assert [first["verb"], first["user"]["username"], first["responseStatus"]["code"]] == ["list", USER, 403]
    assert second["stage"] == "ResponseComplete"
    assert second["requestReceivedTimestamp"] > first["stageTimestamp"]
    # The administrator's own requests are none of them.
    assert {event["user"]["username"] for event in sandbox.audit_events()} == {USER}
    [log] = (tmp_path / "audit").iterdir()
    assert log.name.startswith("audited-")


def test_sandbox_without_an_audit_log_says_so(full_sandbox, monkeypatch):
    monkeypatch.setattr(full_sandbox, "_audit_log", None)

    with pytest.raises(SandboxError, match="full has no audit log"):
        full_sandbox.audit_events()
