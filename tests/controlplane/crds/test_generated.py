"""The generated files are what the generator makes of the API server's own OpenAPI."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[3]


@pytest.fixture
def openapi(control_plane):
    """What the API server says of its core group."""
    return control_plane.request("GET", "/openapi/v3/api/v1")


@pytest.fixture
def check(tmp_path):
    """Runs the generator's check against a document."""

    def run(document):
        file = tmp_path / "openapi.json"
        file.write_text(json.dumps(document))
        command = [sys.executable, "-m", "crds.make", "--check", "--openapi", str(file)]
        return subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, check=False)

    return run


def test_generated_files_are_up_to_date(check, openapi):
    done = check(openapi)

    assert (done.returncode, done.stderr) == (0, "")


def test_check_notices_a_field_that_kubernetes_no_longer_has(check, openapi):
    del openapi["components"]["schemas"]["io.k8s.api.core.v1.PodSpec"]["properties"]["hostPID"]

    done = check(openapi)

    assert done.returncode == 1
    files = "crds/gangjobs.yaml, crds/gangsweeps.yaml"
    assert done.stderr == f"Error: Not as `make generate` would write it with Kubernetes 1.36: {files}.\n"
