"""The command of a gate, as a container runs it: it waits for a file to have content, and imports little."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from eventually import eventually

LIGHT = "import sys, lockstep.cli.in_pods.gate; print({'kopf', 'numpy', 'aiohttp', 'asyncio'} & set(sys.modules))"


@pytest.fixture
def gate(tmp_path):
    """A gate that waits for ``tmp_path / "go"``."""
    with subprocess.Popen([sys.executable, "-m", "lockstep", "gate", "--file", str(tmp_path / "go")]) as process:
        yield process
        process.kill()


def is_ready(process):
    """Whether it has set what it does with signals: bit 14 of those that it catches is SIGTERM."""
    status = Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
    [caught] = [line.split()[1] for line in status.splitlines() if line.startswith("SigCgt")]
    return int(caught, 16) & (1 << (signal.SIGTERM - 1))


def test_gate_ends_once_the_file_has_content(tmp_path, gate):
    eventually(lambda: is_ready(gate))
    (tmp_path / "go").touch()
    assert gate.poll() is None

    (tmp_path / "go").write_text("true")

    assert gate.wait(timeout=300) == 0


def test_gate_that_is_open_already_ends_at_once(tmp_path):
    (tmp_path / "go").write_text("true")

    done = subprocess.run(
        [sys.executable, "-m", "lockstep", "gate", "--file", str(tmp_path / "go")], check=True, timeout=300
    )

    assert done.returncode == 0


def test_gate_ends_when_its_pod_is_deleted(gate):
    """The first process of a container ends by no signal that it does not ask for."""
    eventually(lambda: is_ready(gate))

    gate.terminate()

    assert gate.wait(timeout=300) == 128 + signal.SIGTERM


def test_gate_imports_nothing_that_takes_long():
    done = subprocess.run([sys.executable, "-c", LIGHT], check=True, capture_output=True, text=True)

    assert done.stdout == "set()\n"
