"""What every command for users says of itself, and of what makes no sense."""

from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest
import yaml
from click import ClickException, Context
from click.testing import CliRunner

from builders.manifests import gang
from coschedule import GangKey
from docs.markdown import ROOT
from lockstep.answers.member_logs import LogEntry
from lockstep.answers.queue.queue import Queued
from lockstep.answers.queue.queue_text import queue_lines
from lockstep.answers.reading.errors import AnswerError
from lockstep.cli import main
from lockstep.cli.logs import _show_plain
from lockstep.cli.options.answer_options import one_sentence, print_lines

PAGE = ROOT / "docs" / "command-line.md"
NOT_BY_THEMSELVES = {"replay": "curl", "solve": "echo"}
"""Commands whose input comes from others, by the command that their example begins with."""

# Commands that no user types, so that the list of commands leaves them out.
FOR_MACHINES = ("agent", "dealer", "gate", "solve")


def lockstep(*arguments):
    return CliRunner().invoke(main, list(arguments))


@pytest.mark.parametrize("command", main.list_commands(Context(main)))
def test_help_has_an_example(command):
    done = lockstep(command, "--help")

    assert done.exit_code == 0
    assert f"For example: {NOT_BY_THEMSELVES.get(command, f'lockstep {command}')}" in " ".join(done.stdout.split())


@pytest.mark.parametrize("command", main.list_commands(Context(main)))
def test_unknown_option_ends_every_command_with_one_sentence(command):
    done = lockstep(command, "--nonsense")

    assert (done.exit_code, done.stdout) == (2, "")
    assert isinstance(done.exception, SystemExit)
    *_, before, sentence = done.stderr.splitlines()
    assert before == ""
    assert sentence.startswith("Error: No such option '--nonsense'."), "and which one may be meant"


UNREADABLE_AUTHORITY = """
clusters: [{name: c, cluster: {server: "https://127.0.0.1:1234", certificate-authority-data: AAAA}}]
contexts: [{name: one, context: {cluster: c, user: u}}]
current-context: one
users: [{name: u, user: {token: secret}}]
"""


@pytest.mark.parametrize(
    "arguments",
    [
        ["queue"],
        ["explain", "gj/a"],
        ["logs", "gj/a"],
        ["profile", "gj/a"],
        ["requeue", "gj/a"],
        ["resize", "gj/a", "--any-size"],
        ["check"],
        ["run"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_certificate_authority_that_can_not_be_read_is_one_sentence(tmp_path, monkeypatch, arguments):
    monkeypatch.setattr("lockstep.cli.run.set_up_logs", lambda *_: None)
    path = tmp_path / "config"
    path.write_text(UNREADABLE_AUTHORITY)

    done = lockstep(*arguments, "--kubeconfig", str(path))

    assert done.exit_code == 1
    assert done.stderr == (
        f"Error: the certificate authority of {path} can't be read (OpenSSL says: no certificate or crl found)\n"
    )


@pytest.fixture
def locked_out(tmp_path):
    """A kubeconfig that leads to an API server which knows no user."""
    with HTTPServer(("127.0.0.1", 0), KnowsNoUser) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        path = tmp_path / "config"
        authority = 'server: "https://127.0.0.1:1234", certificate-authority-data: AAAA'
        path.write_text(UNREADABLE_AUTHORITY.replace(authority, f'server: "http://127.0.0.1:{server.server_port}"'))
        yield path
        server.shutdown()


class KnowsNoUser(BaseHTTPRequestHandler):
    """Answers 401 to every request."""

    def do_GET(self):
        body = b'{"kind": "Status", "code": 401, "message": "Unauthorized"}'
        self.send_response(401)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Keep the output for the command."""


@pytest.mark.parametrize("arguments", [["requeue", "gj/a"], ["plan", "-f", "-"]], ids=lambda arguments: arguments[0])
def test_token_that_is_not_accepted_is_one_sentence_that_says_what_to_do(locked_out, arguments):
    submitted = yaml.safe_dump(gang("a"))

    done = CliRunner().invoke(main, [*arguments, "--kubeconfig", str(locked_out)], input=submitted)

    [said] = [line for line in done.stderr.splitlines() if line.startswith("Error: ")]
    assert done.exit_code == 1
    assert f"it rejects the credentials of {locked_out} (401 Unauthorized)" in said
    assert "log in again" in said


def test_what_others_wrote_does_nothing_to_a_terminal(capsys):
    behind = "held by \x1b]0;title\x07default/heat, \u202eor not\x9b2J"
    queue = [Queued(gang=GangKey("default", "new"), behind=behind)]

    print_lines(queue_lines(queue, 0.0))

    *_, sentence = capsys.readouterr().out.splitlines()
    assert sentence.strip() == r"held by \x1b]0;title\x07default/heat, \u202eor not\x9b2J"


def test_sentence_that_ends_a_command_does_nothing_to_a_terminal():
    with pytest.raises(ClickException) as caught, one_sentence():
        raise AnswerError("GangJob default/\x1b[31mred\x9b0m is in the file twice.")

    assert str(caught.value) == r"GangJob default/\x1b[31mred\x9b0m is in the file twice."


def test_notice_about_a_log_does_nothing_to_a_terminal_and_a_line_of_it_stays_as_it_is(capsysbinary):
    _show_plain(LogEntry(0, 1, "new-0", None, "new-0 does not run yet: \x1b[31mred"))
    _show_plain(LogEntry(0, 1, "new-0", b"\x1b[31mred\n"))

    shown = capsysbinary.readouterr()
    assert shown.err == rb"[0] new-0 does not run yet: \x1b[31mred" + b"\n"
    assert b"[0] \x1b[31mred\n" in shown.out


@pytest.mark.parametrize(
    ("arguments", "want"),
    [
        pytest.param(["queue", "-A", "-n", "a"], "Use only one of --namespace and --all-namespaces", id="two scopes"),
        pytest.param(["queue", "-o", "xml"], "'xml' is not one of", id="output"),
        pytest.param(["queue", "--kubeconfig", "/nowhere"], "there is no kubeconfig /nowhere", id="no kubeconfig"),
        pytest.param(["logs"], "Missing argument 'gj/NAME|sweep/NAME'", id="no gang"),
        pytest.param(
            ["logs", "pod/a"],
            "pod/a names neither a GangJob nor a GangSweep: write gj/NAME or sweep/NAME",
            id="another kind",
        ),
        pytest.param(["logs", "gj/a", "--rank", "-1"], "-1 is neither a rank nor a list of ranks", id="no rank"),
        pytest.param(["logs", "gj/a", "--rank", "1-"], "1- is neither a rank nor a list of ranks", id="half a range"),
        pytest.param(["logs", "gj/a", "--tail", "-1"], "-1 is not in the range", id="lines"),
        pytest.param(
            ["logs", "gj/a", "--kubeconfig", "/nowhere"], "there is no kubeconfig /nowhere", id="logs of no gang"
        ),
        pytest.param(["requeue", "gj/a", "--timeout", "soon"], "soon is not a duration", id="time"),
        pytest.param(["resize", "gj/a?dryRun=All", "--size", "2"], "names no GangJob: write gj/NAME", id="a query"),
        pytest.param(["explain", "gj/A B"], "names no GangJob, Gang or GangSweep: write gj/NAME", id="no name"),
        pytest.param(["resize", "gj/a"], "give either --size or --any-size", id="no size"),
        pytest.param(["resize", "gj/a", "--size", "2", "--any-size"], "give either --size or", id="two sizes"),
        pytest.param(["resize", "gj/a", "--size", "0"], "0 is not in the range", id="size"),
        pytest.param(
            ["requeue", "gj/a", "--kubeconfig", "/nowhere"], "there is no kubeconfig /nowhere", id="requeue no gang"
        ),
    ],
)
def test_wrong_arguments_end_it_with_one_sentence(arguments, want):
    done = lockstep(*arguments)

    lines = [line for line in done.stderr.splitlines() if line.startswith("Error: ")]
    assert done.exit_code != 0
    assert len(lines) == 1, (done.stderr, done.exception)
    assert want in lines[0]


def test_list_of_commands_is_for_users_and_names_those_for_machines_once():
    listed, for_machines = lockstep("--help").stdout.split("Pods and programs also run the commands")

    assert [name for name in FOR_MACHINES if f"\n  {name} " in listed] == []
    assert "\n  profile " in listed
    assert [name for name in FOR_MACHINES if name not in for_machines] == []


@pytest.mark.parametrize("columns", ["60", "80"])
def test_list_of_commands_has_whole_sentences(monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", columns)
    _, _, listed = lockstep("--help").stdout.partition("\nCommands:\n")
    in_one_line = " ".join(listed.split())

    for name in main.list_commands(None):
        command = main.get_command(None, name)
        if not command.hidden:
            sentence, _, _ = " ".join(command.help.split()).partition(". ")
            assert f"{name} {sentence.removesuffix('.')}." in in_one_line


def test_there_is_no_command_fit():
    assert "fit" not in main.list_commands(Context(main))


def test_page_has_every_command():
    page = PAGE.read_text()
    names = main.list_commands(None)

    assert [name for name in names if f"`lockstep {name}" not in page] == []
