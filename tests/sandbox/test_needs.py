"""What make needs of a distribution: installed where this user may, else one line that says what to type."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from fake_programs import put_program
from live import browsers

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "sandbox" / "needs.sh"
REAL = ("env", "grep", "mktemp", "rm", "sed", "timeout", "touch", "mkdir", "cp", "true")
PYTHON_AFTER_ITS_PACKAGE = '[ -e "$MACHINE/installed/python3-venv" ]'
# Chromium leaves files where its option says, Ubuntu's only asks for a snap.
CHROMIUM = 'for option; do case $option in --user-data-dir=*) mkdir -p "${option#*=}/Default" ;; esac; done'
SEES_ITS_OWN_FOLDERS = "exit 0"
ASKS_FOR_A_SNAP = 'echo "requires the chromium snap to be installed"; exit 1'
APT = """
echo "$*" >> "$MACHINE/apt"
case " $* " in *" install "*) for package; do touch "$MACHINE/installed/$package"; done 2>/dev/null ;; esac
[ ! -e "$MACHINE/installed/chromium" ] || cp "$MACHINE/offered" "$MACHINE/bin/chromium"
"""


class Machine:
    """A machine with nothing on it but what a test puts there: Debian's, root's, with Python and a browser for sale."""

    def __init__(self, root):
        self.root = root
        self.bin = root / "bin"
        for name in REAL:
            put_program(self.bin, name, f'exec {shutil.which(name)} "$@"')
        for folder in ("installed", "certificates", "tests/live"):
            (root / folder).mkdir(parents=True)
        (root / "tests/live/browsers.txt").write_text("\n".join(browsers.NAMES) + "\n")
        (root / "certificates/ca.crt").touch()
        self.release("debian")
        put_program(root, "offered", CHROMIUM)
        self.has(**{"id": "echo 0", "apt-get": APT, "python3": PYTHON_AFTER_ITS_PACKAGE, "unshare": "exit 0"})

    def has(self, **programs):
        for name, script in programs.items():
            put_program(self.bin, name, script)

    def release(self, distribution):
        (self.root / "release").write_text(f"ID={distribution}\n")

    def is_for_a_user(self, *, sudo):
        self.has(id="echo 1000", sudo='shift; exec "$@"' if sudo else "exit 1")

    def asked(self, *wanted, **environment):
        return subprocess.run(
            ["/bin/sh", SCRIPT, "python3", *wanted],
            cwd=self.root,
            env={
                "PATH": str(self.bin),
                "MACHINE": str(self.root),
                "TMPDIR": str(self.root),
                "SSL_CERT_FILE": str(self.root / "certificates/ca.crt"),
                "OS_RELEASE": str(self.root / "release"),
                **environment,
            },
            capture_output=True,
            text=True,
            check=False,
        )

    @property
    def installed(self):
        return {path.name for path in (self.root / "installed").iterdir()} - {"install", "--yes"}


@pytest.fixture
def machine(tmp_path):
    return Machine(tmp_path)


def lines(asked):
    assert asked.returncode == 1, asked.stderr
    return asked.stderr.splitlines()


def test_root_installs_what_is_missing(machine):
    asked = machine.asked("tests")

    assert (asked.returncode, asked.stderr) == (0, "")
    assert asked.stdout.split() == ["Installing", "python3-venv", "chromium", "…"]
    assert {"python3-venv", "chromium"} <= machine.installed


def test_machine_that_has_all_is_left_alone(machine):
    machine.has(python3="exit 0", chromium=CHROMIUM)

    asked = machine.asked("tests")

    assert (asked.returncode, asked.stdout, asked.stderr) == (0, "", "")
    assert not (machine.root / "apt").exists()


def test_demo_needs_no_browser(machine):
    assert machine.asked().returncode == 0
    assert "chromium" not in machine.installed


def test_environment_that_is_there_needs_no_python_of_the_distribution(machine):
    put_program(machine.root / ".venv" / "bin", "python")

    assert (machine.asked().returncode, machine.installed) == (0, set())


def test_missing_certificates_are_installed(machine):
    asked = machine.asked(SSL_CERT_FILE=str(machine.root / "none"))

    assert "ca-certificates" in machine.installed
    assert "ca-certificates" in lines(asked)[0], "a package that does not help is asked for again"


def test_user_with_sudo_installs(machine):
    machine.is_for_a_user(sudo=True)

    assert machine.asked("tests").returncode == 0
    assert "chromium" in machine.installed


def test_user_without_sudo_is_given_one_line(machine):
    machine.is_for_a_user(sudo=False)

    [line] = lines(machine.asked("tests"))

    assert line == (
        "This machine lacks something that make needs; type: sudo apt-get update && sudo apt-get install --yes "
        "--no-install-recommends python3-venv chromium, or name a browser like Chromium in LOCKSTEP_CHROMIUM"
    )
    assert machine.installed == set()


def test_packages_that_cannot_be_had_are_asked_for_in_one_line(machine):
    machine.has(**{"apt-get": "echo no network >&2; exit 100"})

    complaint, line = lines(machine.asked())

    assert complaint == "no network"
    assert line.endswith("apt-get update && apt-get install --yes --no-install-recommends python3-venv")


def test_message_has_debians_name_on_a_machine_without_apt(machine):
    (machine.bin / "apt-get").unlink()

    [line] = lines(machine.asked())

    assert line.endswith("your distribution's command that installs what Debian calls python3-venv")


@pytest.mark.parametrize(
    "script", [ASKS_FOR_A_SNAP, SEES_ITS_OWN_FOLDERS], ids=["only asks for a snap", "sees no folder of ours"]
)
def test_ubuntus_browser_that_does_not_work_is_not_taken(machine, script):
    machine.release("ubuntu")
    machine.has(**{"python3": "exit 0", "chromium-browser": script})

    [line] = lines(machine.asked("tests"))

    assert "chromium-browser" in machine.installed
    assert line.endswith(
        "install --yes --no-install-recommends chromium-browser, or install Google Chrome, since that is a snap"
    )


def test_browser_that_is_named_is_the_one_that_has_to_work(machine):
    machine.has(python3="exit 0", chromium=ASKS_FOR_A_SNAP, edge=CHROMIUM)

    assert machine.asked("tests", LOCKSTEP_CHROMIUM="edge").returncode == 0
    assert not (machine.root / "apt").exists()


def test_tests_drive_the_browser_that_was_tried(machine, monkeypatch):
    machine.has(**{"google-chrome": CHROMIUM, "chromium-browser": ASKS_FOR_A_SNAP, "edge": CHROMIUM})
    monkeypatch.setenv("PATH", str(machine.bin))
    monkeypatch.delenv("LOCKSTEP_CHROMIUM", raising=False)

    assert browsers.browser() == str(machine.bin / "google-chrome")
    monkeypatch.setenv("LOCKSTEP_CHROMIUM", "edge")
    assert browsers.browser() == str(machine.bin / "edge")


def test_user_who_can_enter_no_root_file_system_is_given_the_setting(machine):
    machine.is_for_a_user(sudo=False)
    machine.has(python3="exit 0", chromium=CHROMIUM, unshare="exit 1")

    [line] = lines(machine.asked("tests"))

    assert re.search(r"type: sudo sysctl -w (user\.max_user_namespaces=\d+|kernel\.apparmor_\w+=0)$", line)
    assert machine.asked().returncode == 0, "the demo enters none"


def test_real_nodes_are_installed_by_package(machine):
    machine.has(python3="exit 0", runc="exit 0")

    asked = machine.asked("nodes")

    assert {"containerd"} <= machine.installed
    assert "runc" not in machine.installed
    assert "containerd" in lines(asked)[0], "a package that does not help is asked for again"
