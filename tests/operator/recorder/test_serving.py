"""The recorder answers the server of answers alone: both know each other by one authority."""

import pytest
import pytest_asyncio

from builders.records import ended
from lockstep.facts.records.history_question import HistoryQuestion, HistoryScope
from lockstep.recorder.database import RecordDatabase, Retention
from lockstep.recorder.serving import RecorderAddress, answering
from lockstep.tenants.history import recorder_client
from lockstep.tenants.history.recorder_client import HistoryRefusedError, RecorderPlace, ask_recorder
from lockstep.tenants.trouble import NoAnswerNowError, Trouble
from sandbox.pki import Authority

pytestmark = pytest.mark.asyncio

NOW = 1_000_000
RETENTION = Retention(records=1e12, users=1e12, most_bytes=2**30)
ASKED = HistoryQuestion(since=0, until=NOW)
SCOPE = HistoryScope(namespace="tenant", made=0, with_pod_gangs=True)


def certificates(folder):
    Authority(folder).issue_server("tls")
    return folder


@pytest.fixture
def path(tmp_path):
    return tmp_path / "record.db"


@pytest_asyncio.fixture
async def ask(tmp_path, path, monkeypatch):
    """Asks the recorder as the server of answers does, by the recorder's own certificate or by others."""
    monkeypatch.setattr(recorder_client, "_PATIENCE_SECONDS", 5.0)
    folder = certificates(tmp_path / "tls")
    address = RecorderAddress(host="127.0.0.1", port=0, certificates=folder)
    async with answering(address, path, lambda: NOW) as (_, port):

        async def asked(question=ASKED, by=folder):
            return await ask_recorder(RecorderPlace("localhost", port, by), question, SCOPE)

        yield asked


def record_some(path, *records):
    database = RecordDatabase.open(path, RETENTION, NOW)
    database.take_in(records, NOW)
    database.close()


async def test_rows_arrive_as_they_are_shown(ask, path):
    record_some(path, ended("u", NOW, namespace="tenant", user="ada"), ended("v", NOW, namespace="zebra"))

    found = await ask()

    assert (found.now, found.notes, found.is_cut_off) == (NOW, [], False)
    [row] = found.rows
    assert (row["user"], row["created"], row["outcome"]) == ("ada", "1970-01-01T00:15:00Z", "Succeeded")


async def test_file_that_is_not_there_yet_is_no_answer_now(ask):
    with pytest.raises(NoAnswerNowError) as caught:
        await ask()
    assert caught.value.trouble is Trouble.RECORD_UNREAD


async def test_question_that_the_recorder_refuses_has_its_sentence(ask, path):
    record_some(path)

    with pytest.raises(HistoryRefusedError, match=r"limit is not from 1 to 1000\."):
        await ask(HistoryQuestion(since=0, until=NOW, limit=10**6))


async def test_client_of_another_authority_is_not_answered(ask, path, tmp_path):
    """Not even if it has the recorder's authority, and so believes the recorder."""
    record_some(path)
    foreign = certificates(tmp_path / "foreign")
    (foreign / "ca.crt").write_bytes((tmp_path / "tls" / "ca.crt").read_bytes())

    with pytest.raises(NoAnswerNowError):
        await ask(by=foreign)


async def test_recorder_of_another_authority_is_not_asked(ask, path, tmp_path):
    record_some(path)
    own = tmp_path / "tls"
    mixed = certificates(tmp_path / "mixed")
    for name in ("tls.crt", "tls.key"):
        (mixed / name).write_bytes((own / name).read_bytes())

    with pytest.raises(NoAnswerNowError):
        await ask(by=mixed)
