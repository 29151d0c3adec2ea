"""The operator as a process: what its caller gets when it ends by itself."""

import pytest

from lockstep_demo.operator_process import OperatorEndedError, OperatorProcess, running
from sandbox import SandboxError


def test_error_has_the_last_lines_of_an_operator_that_cannot_start_and_no_process_is_left(tmp_path):
    operator = OperatorProcess(tmp_path / "no-kubeconfig", tmp_path / "operator" / "log")

    with pytest.raises(OperatorEndedError, match="has ended unexpectedly") as caught, running(operator):
        pass

    [note] = caught.value.__notes__
    assert note.startswith("The last lines of the operator's log:\n")
    assert "no-kubeconfig" in note
    assert not operator.is_alive


def test_operator_with_all_rights_is_not_started(tmp_path):
    kubeconfig = tmp_path / "admin"
    kubeconfig.write_text("users: [{name: admin, user: {client-certificate-data: x}}]")

    with pytest.raises(SandboxError, match="has all rights"):
        OperatorProcess(kubeconfig, tmp_path / "log")
