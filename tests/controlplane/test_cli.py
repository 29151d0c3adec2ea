"""``lockstep run`` as a person meets it: what its help says, and what it says when it can't begin."""

import socket
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from live.quick_start import Forked, finished
from lockstep.cli.run import run
from lockstep_demo.operator_process import OperatorProcess
from sandbox import Component, Options, start
from sandbox.ports import KeptPort

ROOT = Path(__file__).parents[2]
SECONDS = 90
ENVIRONMENT = {"PATH": "/usr/bin:/bin"}


def lockstep(*arguments, **environment):
    """Run the command to its end."""
    return finished(arguments, ENVIRONMENT | environment, seconds=SECONDS)


def test_help_documents_every_option():
    command = [sys.executable, "-m", "lockstep", "run", "--help"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False, env=ENVIRONMENT)

    assert done.returncode == 0
    for option in (one for one in run.params if one.expose_value):
        assert option.opts[-1] in done.stdout
        assert option.help
        assert option.help.split(".")[0].split()[-1] in done.stdout


def test_version_is_printed():
    done = lockstep("--version")

    assert (done.returncode, done.stdout.split()[0]) == (0, "lockstep,")


@pytest.mark.parametrize(
    ("arguments", "want"),
    [
        pytest.param(["--kubekonfig", "x"], "--kubekonfig", id="an unknown option"),
        pytest.param(["--listen-port", "70000"], "70000 is not in the range", id="a port out of range"),
        pytest.param(["--listen-port", "http"], "'http' is not a valid integer", id="a port that is no number"),
        pytest.param(["--concurrency", "0"], "0 is not in the range", id="no concurrency"),
        pytest.param(["--node-selector", "pool"], "'pool' is not a label", id="a label without a value"),
        pytest.param(["--pool-taint", "a:Never"], "neither NoSchedule nor NoExecute", id="an unknown effect"),
        pytest.param(["--sources", "pods,jobs"], "'jobs' is not a source: choose from pods", id="an unknown source"),
        pytest.param(["--log-level", "loud"], "'loud' is not one of", id="an unknown level"),
        pytest.param(["--log-format", "xml"], "'xml' is not one of", id="an unknown format"),
        pytest.param(["--metrics-secure", "perhaps"], "'perhaps' is not a valid boolean", id="neither yes nor no"),
        pytest.param(["--kubeconfig", "/no/such/file"], "/no/such/file", id="a kubeconfig that is not there"),
    ],
)
def test_wrong_option_is_answered_by_a_sentence(arguments, want):
    done = lockstep("run", *arguments)

    assert_one_sentence(done, want)


def test_missing_configuration_is_answered_by_a_sentence(tmp_path):
    done = lockstep("run", HOME=str(tmp_path))

    assert_one_sentence(done, "config")


def test_kubeconfig_that_is_no_kubeconfig_is_answered_by_a_sentence(tmp_path):
    file = tmp_path / "kubeconfig"
    file.write_text("- nothing\n- of use\n", encoding="utf-8")

    assert_one_sentence(lockstep("run", "--kubeconfig", str(file)), "")


def test_unknown_context_is_answered_by_a_sentence(operator_kubeconfig):
    done = lockstep("run", "--kubeconfig", str(operator_kubeconfig), "--context", "nowhere")

    assert_one_sentence(done, "nowhere")


def test_unreachable_api_server_is_answered_by_a_sentence(operator_kubeconfig, tmp_path):
    kept_port = KeptPort()
    file = with_cluster(operator_kubeconfig, tmp_path, server=f"https://127.0.0.1:{kept_port.number}")

    done = lockstep("run", "--kubeconfig", str(file), *listening())

    assert_one_sentence(done, f"the API server at https://127.0.0.1:{kept_port.number} does not answer")


def test_operator_is_stopped_while_the_api_server_is_silent(operator_kubeconfig, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        server = f"http://127.0.0.1:{silent.getsockname()[1]}"
        file = with_cluster(operator_kubeconfig, tmp_path, server=server)
        process = OperatorProcess(file, tmp_path / "log", spawn=Forked)
        process.launch()
        connection, _ = silent.accept()

        assert process.stop() == 0
        connection.close()


def test_certificate_of_another_authority_is_answered_by_a_sentence(operator_kubeconfig, tmp_path):
    file = with_cluster(operator_kubeconfig, tmp_path, **{"certificate-authority-data": None})

    done = lockstep("run", "--kubeconfig", str(file), *listening())

    assert_one_sentence(done, "certificate")


def test_token_that_is_not_accepted_is_answered_by_a_sentence(operator_kubeconfig, tmp_path):
    document = yaml.safe_load(operator_kubeconfig.read_text(encoding="utf-8"))
    document["users"][0]["user"]["token"] = "nobody"
    file = tmp_path / "kubeconfig"
    file.write_text(yaml.safe_dump(document), encoding="utf-8")

    assert_one_sentence(lockstep("run", "--kubeconfig", str(file), *listening()), "refuses access")


@pytest.mark.parametrize("option", ["--listen-port", "--debug-listen-port"])
def test_port_that_is_taken_is_answered_by_a_sentence(operator, operator_kubeconfig, option):
    port = operator.url.rsplit(":", 1)[1]

    done = lockstep("run", "--kubeconfig", str(operator_kubeconfig), *listening(), option, port)

    assert_one_sentence(done, f"can't listen on 127.0.0.1:{port}")


@pytest.mark.parametrize(
    ("options", "want"),
    [
        pytest.param([], "--metrics-secure needs --metrics-cert-dir", id="no folder"),
        pytest.param(["--metrics-cert-dir=/no/such"], "tls.key in /no/such can't be used: No such file", id="no files"),
    ],
)
def test_missing_certificate_is_answered_by_a_sentence(operator_kubeconfig, options, want):
    done = lockstep("run", "--kubeconfig", str(operator_kubeconfig), *listening(), "--metrics-secure=true", *options)

    assert_one_sentence(done, want)


def test_missing_crds_are_answered_by_a_sentence(tmp_path_factory):
    options = Options(name="bare", addons=frozenset[Component](), state=tmp_path_factory.mktemp("bare"))
    with start(options) as bare:
        bare.apply(ROOT / "operator" / "rbac.yaml")
        kubeconfig = bare.kubeconfig_for_service_account("lockstep-system", "lockstep")
        done = lockstep("run", "--kubeconfig", str(kubeconfig), *listening())

    assert_one_sentence(done, "apply the CRDs first")


def test_option_can_come_from_the_environment(tmp_path):
    done = lockstep("run", LOCKSTEP_RUN_KUBECONFIG=str(tmp_path / "missing"))

    assert_one_sentence(done, "missing")


def listening():
    return ("--listen-host", "127.0.0.1", "--listen-port", "0", "--debug-listen-port", "0")


def with_cluster(kubeconfig, folder, **changes):
    """A copy of a kubeconfig with another cluster; None removes a field."""
    document = yaml.safe_load(kubeconfig.read_text(encoding="utf-8"))
    cluster = document["clusters"][0]["cluster"] | changes
    document["clusters"][0]["cluster"] = {key: value for key, value in cluster.items() if value is not None}
    file = folder / "kubeconfig"
    file.write_text(yaml.safe_dump(document), encoding="utf-8")
    return file


def assert_one_sentence(done, want):
    """The command failed with one line of explanation (after click's usage, where that is the explanation's start)."""
    lines = [line for line in done.stderr.splitlines() if line.startswith("Error: ")]
    assert done.returncode != 0
    assert "Traceback" not in done.stderr
    assert len(lines) == 1, done.stderr
    assert want in lines[0]
