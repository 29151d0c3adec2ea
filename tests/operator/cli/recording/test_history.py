"""``lockstep history``: tables, CSV and JSON of what is on record."""

import csv
import io
import json
import sys
from time import time

import pytest
from click.testing import CliRunner

from builders.records import HOUR, ended, record, stretch
from lockstep.answers.reading.errors import AnswerError
from lockstep.cli import main
from lockstep.recorder.database import RecordDatabase, Retention
from lockstep.tenants.commands.asking import NoAnswer

NOW = round(time())
RETENTION = Retention(records=1e12, users=1e12, most_bytes=2**30)


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "record.db"
    gave_way = stretch(
        began=NOW - 3 * HOUR, ended=NOW - 2 * HOUR, reason="Preempted", preemptor="default/urgent", lost=2 * HOUR
    )
    shown = {"created": NOW - 4 * HOUR, "user": "=cmd()", "name": "victim", "started": NOW - 3 * HOUR}
    records = [
        record("v", gave_way, **shown),
        ended("u", NOW - HOUR, began=NOW - 2 * HOUR, created=NOW - 3 * HOUR, name="done", namespace="other"),
        ended("old", NOW - 100 * 24 * HOUR, began=NOW - 101 * 24 * HOUR, name="old", created=1),
    ]
    database = RecordDatabase.open(path, RETENTION, NOW)
    database.take_in(records, NOW)
    database.close()
    return path


def ask(path, *options):
    return CliRunner().invoke(main, ["history", f"--database={path}", *options])


def test_table_has_a_line_for_each_gang_the_youngest_first(path):
    title, *lines = ask(path).stdout.splitlines()

    assert " ".join(title.split()) == "NAMESPACE NAME USER OUTCOME CREATED WAIT STARTED ENDED ATTEMPTS CORE-HOURS"
    assert [line.split()[:2] for line in lines] == [["other", "done"], ["default", "victim"]]
    assert lines[1].split()[5:7] == [str(HOUR), "s"]


@pytest.mark.parametrize(
    ("options", "want"),
    [
        pytest.param(["-n", "other"], ["done"], id="namespace"),
        pytest.param(["--since", "200d"], ["done", "victim", "old"], id="since"),
        pytest.param(["--since", "2020-01-01", "--until", "99d"], ["old"], id="a period"),
        pytest.param(["--limit", "1"], ["done"], id="limit"),
        pytest.param(["--user", "nobody"], [], id="none"),
    ],
)
def test_filters(path, options, want):
    lines = ask(path, *options, "-o", "json").stdout.splitlines()

    assert [json.loads(line)["name"] for line in lines] == want


@pytest.mark.parametrize("sign", ["\x1b", "\x7f", "\x9b", "\xa0", "\u200b", "\U000e0001"], ids=ascii)
def test_json_stays_json_whatever_a_name_contains(path, sign):
    database = RecordDatabase.open(path, RETENTION, NOW)
    database.take_in([record("odd", created=NOW - HOUR, user=f"Ann{sign}Lee", name="odd")], NOW)
    database.close()

    line = ask(path, "--name", "odd", "-o", "json").stdout

    assert json.loads(line)["user"] == f"Ann{sign}Lee"
    assert sign not in line


def test_csv_has_sums_that_a_spreadsheet_reads_and_no_formulas(path):
    [row] = csv.DictReader(io.StringIO(ask(path, "--name", "victim", "-o", "csv").stdout))
    sums = list(csv.DictReader(io.StringIO(ask(path, "--by", "namespace", "-o", "csv").stdout)))

    assert row["user"] == "'=cmd()"
    assert float(row["core-hours"]) == 2
    assert [(one["namespace"], float(one["core-hours"])) for one in sums] == [("default", 2), ("other", 2)]


def test_losses_name_the_gang_for_which_work_was_lost(path):
    [row] = map(json.loads, ask(path, "--losses", "-o", "json").stdout.splitlines())

    assert (row["name"], row["preemptor"], row["lost member-hours"]) == ("victim", "default/urgent", 2)


def test_nothing_on_record_is_said(path):
    assert ask(path, "--name", "none").stdout == "There are no records.\n"


def test_file_that_began_anew_is_said_beside_each_answer(path):
    path.write_bytes(b"broken" * 1000)
    RecordDatabase.open(path, RETENTION, 1_800_000_000)

    done = ask(path)

    assert "2027-01-15T08:00:00Z" in done.stderr


@pytest.mark.parametrize(
    ("options", "want"),
    [
        pytest.param(["--since", "yesterday"], "yesterday is neither a date such as 2026-11-01", id="no time"),
        pytest.param(["--by", "user", "--losses"], "Use only one of --by and --losses", id="both"),
        pytest.param(["--database", "/nowhere/record.db"], "/nowhere/record.db can't be read", id="no file"),
    ],
)
def test_what_can_not_be_done_is_one_sentence(path, options, want):
    done = ask(path, *options)

    assert done.exit_code != 0
    assert want in done.stderr


@pytest.mark.parametrize("wrong", [["--keep", "long"], ["--most-bytes", "much"], ["--most-bytes", "0"]])
def test_recorder_refuses_options_that_it_does_not_understand(wrong):
    done = CliRunner().invoke(main, ["record", "--namespace=ns", *wrong])

    assert done.exit_code != 0
    assert wrong[0] in done.stderr


# Without a file


class Asked:
    """The cluster's API for tenants, with one answer; keeps the question."""

    def __init__(self, answer):
        self.answer, self.question = answer, None

    async def __call__(self, client, kind, namespace, name, params):
        self.question = (kind, namespace, name, params)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


ROW = {"user": "ada", "gangs": 2, "core-hours": 1.5}
ANSWER = {"metadata": {"namespace": "tenant"}, "notes": ["The file was broken."], "rows": [ROW], "isCutOff": True}


@pytest.fixture
def outside(monkeypatch, tmp_path):
    """Asks where there is no file, with that answer of the cluster."""
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.write_text(
        "{apiVersion: v1, kind: Config, current-context: c, clusters: [{name: k, cluster: {server: 'http://nowhere'}}],"
        " users: [{name: u, user: {}}], contexts: [{name: c, context: {cluster: k, user: u, namespace: tenant}}]}"
    )

    def ask(answer, *options):
        asked = Asked(answer)
        monkeypatch.setattr(sys.modules["lockstep.cli.recording.history"], "ask_answer", asked)
        return CliRunner().invoke(main, ["history", f"--kubeconfig={kubeconfig}", *options]), asked.question

    return ask


def test_without_a_file_the_cluster_is_asked_about_the_namespace_of_the_kubeconfig(outside):
    done, question = outside(ANSWER, "--by=user", "--limit=5000", "--since=2026-11-01", "--until=2026-11-02")

    params = {"since": "2026-11-01T00:00:00Z", "until": "2026-11-02T00:00:00Z", "by": "user", "limit": "1000"}
    assert question == ("histories", "tenant", "default", params)
    assert [line.split() for line in done.stdout.splitlines()] == [["USER", "GANGS", "CORE-HOURS"], ["ada", "2", "1.5"]]
    assert done.stderr.splitlines() == [
        "The cluster's API for tenants shows what is on record of namespace tenant.",
        "The file was broken.",
        "There are more records than one answer holds: ask for a shorter period.",
    ]


@pytest.mark.parametrize(
    ("answer", "options", "want"),
    [
        pytest.param(NoAnswer(""), ("-n", "own"), "The cluster shows you no history of namespace own: ", id="no right"),
        pytest.param(NoAnswer("It is dead."), (), "It is dead.", id="no answer now"),
        pytest.param(AnswerError("By is wrong."), (), "By is wrong.", id="refused"),
        pytest.param(ANSWER, ("--group=physics",), "Leave --group out", id="a group"),
    ],
)
def test_without_a_file_and_an_answer_there_is_a_sentence(outside, answer, options, want):
    done, _ = outside(answer, *options)

    assert done.exit_code == 1
    assert want in done.stderr
