"""The demo whole, as a user runs it: what it shows, how it ends, and that nothing of it stays."""

import os
import re
import signal
import subprocess
import sys

import pytest

from eventually import eventually
from sandbox import processes
from sandbox.processes import Mark

# On a machine that does nothing else it is one minute.
WHOLE_SECONDS = 240.0
END_SECONDS = 90.0
FIRST_GANG = "kubectl apply -f examples/02-range.yaml"


class Demo:
    """A running demo; whatever it has on disk is below ``folder``."""

    def __init__(self, folder):
        self.folder = folder / "temporary"
        self.folder.mkdir()
        self._output = folder / "output"
        environment = os.environ | {"TMPDIR": str(self.folder), "COLUMNS": "80"}
        with self._output.open("w") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "lockstep_demo"], env=environment, stdout=output, stderr=subprocess.STDOUT
            )

    def output(self):
        return self._output.read_text(encoding="utf-8")

    def own_folder(self):
        (own,) = self.folder.iterdir()
        return own

    def until_shown(self, text):
        eventually(lambda: text in self.output() or self.process.poll() is not None, seconds=WHOLE_SECONDS)
        assert text in self.output()


def marked(own):
    return processes.running(own / "demo") | processes.running(own / "operator")


@pytest.fixture
def demo(tmp_path):
    demo = Demo(tmp_path)
    yield demo
    demo.process.kill()
    demo.process.wait()


def test_every_gang_of_the_examples_lands_and_the_metrics_come_last(demo):
    status = demo.process.wait(timeout=WHOLE_SECONDS)

    output = demo.output()
    assert status == 0, output
    assert re.search(
        r"heat +6 members on .*\. The gang's speed-up over one idle reference node is \d\.\d, including the wait\. "
        r"With 7 members the gang would wait \d+ s and",
        output,
    )
    assert re.search(
        r"render +\d+ members expected on .*\. The start is expected at .* With \d+ members the gang could start now "
        r"and end .* (later|sooner) than planned, at",
        output,
    )
    assert re.search(r"census +Cannot be placed\. it needs 11 members, and 10 fit: ", output, re.IGNORECASE)
    assert "census   11 of 11 pods" in output
    assert re.search(r"lockstep_start_delay_seconds +\d+\.\d s ", output)
    assert re.search(r"lockstep_run_time_ratio +[01]\.\d\d ", output)
    finished = [int(count) for count in re.findall(r"(\d+) finished", output)]
    assert len(finished) == 8
    assert re.search(rf"lockstep_binds_total +{sum(finished)} +{sum(finished)} bound", output)
    assert output.splitlines()[-1] == "All 8 gangs were placed and have finished."
    assert list(demo.folder.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_interrupt_leaves_no_process_and_no_folder(demo, number):
    demo.until_shown(FIRST_GANG)
    own = demo.own_folder()
    assert set(marked(own).values()) == {"etcd", "kube-apiserver", "kwok", "operator"}

    demo.process.send_signal(number)

    assert demo.process.wait(timeout=END_SECONDS) == 130, demo.output()
    assert demo.output().splitlines()[-1] == "Interrupted; everything is cleaned up."
    assert "Traceback" not in demo.output()
    assert marked(own) == {}
    assert not own.exists()


def test_interrupt_while_the_control_plane_starts_leaves_nothing_either(demo):
    demo.until_shown("Starting the sandbox demo ...")
    own = demo.own_folder()

    demo.process.send_signal(signal.SIGINT)

    assert demo.process.wait(timeout=END_SECONDS) == 130, demo.output()
    assert marked(own) == {}
    assert not own.exists()


def test_operator_that_dies_ends_the_demo_with_a_sentence_and_its_log(demo):
    demo.until_shown(FIRST_GANG)
    own = demo.own_folder()

    processes.kill(Mark(own / "operator", "operator"))

    assert demo.process.wait(timeout=END_SECONDS) == 1, demo.output()
    _, failure = demo.output().split("\nThe demo failed: ")
    assert failure.startswith("The operator ended before the demo.\nThe last lines of the operator's log:\n")
    assert "lockstep.process.serve: ready: 12 nodes" in failure
    assert "Traceback" not in failure
    assert marked(own) == {}
    assert not own.exists()
