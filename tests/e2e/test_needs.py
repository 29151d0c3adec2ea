"""A machine on which nodes cannot be real is told so in one sentence, before anything is started."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_machine_without_containerd_gets_a_sentence_with_its_package(tmp_path):
    environment = os.environ | {"PATH": str(tmp_path), "PYTHONPATH": "tests"}

    asked = subprocess.run(
        [sys.executable, "-m", "e2e.needs"], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )

    [sentence] = asked.stderr.splitlines()
    assert asked.returncode == 1
    assert sentence.startswith("Real nodes need more than this machine has: ")
    assert "containerd" in sentence
    assert sentence.endswith("(`apt-get install` on Debian and Ubuntu).")
