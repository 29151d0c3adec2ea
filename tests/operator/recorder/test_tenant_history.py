"""What users of one namespace read of the record: nothing of other namespaces, and no more than one answer may have."""

from functools import partial
from itertools import count

import orjson
import pytest

from builders.records import HOUR, ended, record, stretch
from lockstep.facts.records.history_question import HistoryQuestion, HistoryScope, SumBy
from lockstep.recorder import tenant_history as tenants
from lockstep.recorder.database import RecordDatabase, Retention
from lockstep.recorder.tenant_history import TooMuchError, tenant_history

NOW = 1_000_000
RETENTION = Retention(records=1e12, users=1e12, most_bytes=2**30)
WITHIN = {"namespace": "tenant", "made": 0, "with_pod_gangs": True}


def lost(number, preemptor):
    message = f"Gave way to {preemptor}."
    began = 1000 + number * HOUR
    end = {"ended": began + 60, "reason": "Preempted", "message": message, "preemptor": preemptor, "lost": 60}
    return stretch(number, began, **end)


RECORDS = (
    ended("own", NOW - HOUR, namespace="tenant", name="own", user="ada", created=2000),
    ended("pods", NOW - HOUR, namespace="tenant", name="pods", kind="Gang", created=2000),
    ended("zebra", NOW - HOUR, namespace="zebra", name="okapi", user="zoe", created=2000),
    record(
        "victim",
        *(lost(number, by) for number, by in enumerate(("tenant/own", "tenant/gang/pods", "uid-7", "zebra/okapi"), 1)),
        namespace="tenant",
        name="victim",
        created=900,
    ),
    record("robbed", lost(1, "zebra"), namespace="tenant", name="robbed", created=2000),
)


@pytest.fixture
def ask(tmp_path):
    database = RecordDatabase.open(tmp_path / "record.db", RETENTION, NOW)
    database.take_in(RECORDS, NOW)
    database.close()

    def asked(monotonic=lambda: 0.0, *, within=None, **question):
        scope = HistoryScope(**{**WITHIN, **(within or {})})
        whole = HistoryQuestion(**{"since": 0, "until": NOW, **question})
        return tenant_history(tmp_path / "record.db", whole, scope, NOW, monotonic)

    return asked


@pytest.mark.parametrize(
    ("within", "want"),
    [
        pytest.param({}, {"own", "pods", "robbed", "victim"}, id="namespace"),
        pytest.param({"with_pod_gangs": False}, {"own", "robbed", "victim"}, id="without Gangs"),
        pytest.param({"made": 1000}, {"own", "pods", "robbed"}, id="none of an earlier namespace of that name"),
        pytest.param({"namespace": "none"}, set(), id="another namespace"),
    ],
)
def test_gangs_are_those_of_the_scope(ask, within, want):
    assert {row["name"] for row in ask(within=within).rows} == want


@pytest.mark.parametrize("by", SumBy)
def test_sums_are_those_of_the_namespace(ask, by):
    rows = ask(by=by).rows

    assert sum(row["core-hours"] for row in rows) == pytest.approx(
        sum(row["core-hours"] for row in ask().rows), abs=0.01
    )
    assert "zebra" not in str(rows)
    assert "zoe" not in str(rows)


@pytest.mark.parametrize(
    ("with_pod_gangs", "of_pods"),
    [(True, ("tenant/gang/pods", "Gave way to tenant/gang/pods.")), (False, ("(a Gang)", ""))],
)
def test_losses_name_only_gangs_that_the_asker_may_read(ask, with_pod_gangs, of_pods):
    rows = ask(losses=True, name="victim", within={"with_pod_gangs": with_pod_gangs}).rows

    assert [(row["preemptor"], row["message"]) for row in rows] == [
        ("(another namespace)", ""),
        ("(another namespace)", ""),
        of_pods,
        ("tenant/own", "Gave way to tenant/own."),
    ]


def test_loss_for_a_gang_of_another_namespace_that_is_on_record_names_no_other_namespace(ask):
    """The record knows the name of that gang, which the statuses of the namespace do not."""
    found = ask(losses=True, name="robbed").rows

    assert [(row["preemptor"], row["message"]) for row in found] == [("(another namespace)", "")]
    assert "zebra" not in str(found)
    assert "okapi" not in str(found)


def test_answer_says_that_there_is_more(ask, monkeypatch):
    assert not ask(limit=4).is_cut_off
    few = ask(limit=2)
    assert (len(few.rows), few.is_cut_off) == (2, True)
    monkeypatch.setattr(tenants, "MOST_BYTES", len(orjson.dumps(few.rows[0])) + 200)
    small = ask()
    assert (small.rows, small.is_cut_off) == (few.rows[:1], True)


@pytest.mark.parametrize("bound", ["time", "size of a value"])
def test_what_is_too_much_ends_the_question(ask, monkeypatch, bound):
    if bound == "time":
        monkeypatch.setattr(tenants, "_STEPS_BETWEEN_CHECKS", 1)
        ticks = partial(next, count(0.0, 1.0))
    else:
        monkeypatch.setattr(tenants, "MOST_BYTES", 10)
        ticks = partial(float, 0)

    with pytest.raises(TooMuchError):
        ask(ticks)
