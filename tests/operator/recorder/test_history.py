"""Questions to what is on record: gangs, hours within a period, and who lost what for which gang."""

import sqlite3
from functools import partial
from itertools import count

import pytest

from builders.records import HOUR, ended, record, stretch
from lockstep.api.times import epoch_seconds
from lockstep.facts.records.gang_record import GangOutcome
from lockstep.facts.records.history_question import SumBy
from lockstep.recorder.database import RecordDatabase, Retention
from lockstep.recorder.history import (
    HistoryError,
    HistoryFilter,
    gangs_of,
    losses_of,
    opened_history,
    sums_of,
)

DAY = 24 * HOUR
MONDAY = round(epoch_seconds("2026-11-02T00:00:00Z"))
NOW = MONDAY + 28 * DAY
RETENTION = Retention(records=1e12, users=1e12, most_bytes=2**32)


def asked(since=0, until=NOW, **more):
    return HistoryFilter(since=since, until=until, now=NOW, **more)


@pytest.fixture
def kept(tmp_path):
    """A file, to be filled by a call."""
    path = tmp_path / "record.db"
    database = RecordDatabase.open(path, RETENTION, NOW)

    def ask(question, *arguments, records=()):
        database.take_in(records, NOW)
        with opened_history(path) as connection:
            return list(question(connection, *arguments))

    return ask


def lasting(uid, began, seconds, **more):
    return ended(uid, began + seconds, began=began, **{"created": began - 60, **more})


@pytest.mark.parametrize(
    ("filters", "want"),
    [
        pytest.param({}, {"a", "b", "c"}, id="all"),
        pytest.param({"namespace": "one"}, {"a", "b"}, id="namespace"),
        pytest.param({"user": "ada"}, {"a"}, id="user"),
        pytest.param({"namespace": "one", "user": "bob"}, {"b"}, id="both"),
        pytest.param({"since": MONDAY + DAY}, {"b", "c"}, id="that ended before"),
        pytest.param({"until": MONDAY + DAY}, {"a"}, id="that came after"),
        pytest.param({"user": "ada' OR '1"}, set(), id="quotes"),
        pytest.param({"group": "physics"}, {"a", "c"}, id="group"),
        pytest.param({"sweep": "s"}, {"b"}, id="sweep"),
        pytest.param({"name": "long"}, {"c"}, id="name"),
        pytest.param({"kind": "Gang"}, {"c"}, id="kind"),
    ],
)
def test_gangs_are_those_of_the_filter_that_were_there_in_the_period(kept, filters, want):
    records = [
        lasting("a", MONDAY, HOUR, namespace="one", user="ada", group="physics"),
        lasting("b", MONDAY + 2 * DAY, HOUR, namespace="one", user="bob", sweep="s"),
        record("c", namespace="two", created=MONDAY + 3 * DAY, group="physics", name="long", kind="Gang"),
    ]

    assert {row["uid"] for row in kept(gangs_of, asked(**filters), 9, records=records)} == want


def test_gang_has_its_wait_and_the_hours_of_all_its_stretches(kept):
    stretches = [
        stretch(1, MONDAY, ended=MONDAY + HOUR, gpus=2, memory=2**30, reason="Preempted", lost=2 * HOUR),
        stretch(2, MONDAY + 2 * HOUR, ended=MONDAY + 5 * HOUR, millicores=1000),
    ]
    one = record("u", *stretches, created=MONDAY - 60, started=MONDAY, ended=MONDAY + 5 * HOUR, outcome="Succeeded")

    [row] = kept(gangs_of, asked(), 9, records=[one])

    assert (row["wait"], row["core-hours"], row["GPU-hours"], row["memory GiB-hours"]) == (60, 2 + 3, 2, 1)
    assert row["lost member-hours"] == 2


@pytest.mark.parametrize(
    ("stretches", "more", "want"),
    [
        pytest.param([stretch(1, MONDAY), stretch(2, MONDAY + HOUR, ended=MONDAY + 2 * HOUR)], {}, 4, id="the next"),
        pytest.param([stretch(1, MONDAY)], {"outcome": "Unknown", "ended": MONDAY + 3 * HOUR}, 6, id="the gang"),
        pytest.param([stretch(1, NOW - HOUR)], {}, 2, id="now"),
    ],
)
def test_stretch_whose_end_is_not_on_record_ends_with_the_next_or_the_gang_or_now(kept, stretches, more, want):
    [row] = kept(sums_of, asked(), SumBy.NAMESPACE, records=[record("u", *stretches, **more)])

    assert row["core-hours"] == want


def test_sums_have_the_hours_within_the_period_and_all_that_is_unknown_together(kept):
    records = [
        lasting("a", MONDAY, 4 * HOUR, user="ada"),
        lasting("b", MONDAY + HOUR, HOUR),
        lasting("c", MONDAY + HOUR, HOUR),
        record("d", created=MONDAY),
    ]

    rows = kept(sums_of, asked(MONDAY + HOUR, MONDAY + 3 * HOUR), SumBy.USER, records=records)

    assert [(row["user"], row["gangs"], row["core-hours"]) for row in rows] == [("(unknown)", 3, 4), ("ada", 1, 4)]


@pytest.mark.parametrize(
    ("by", "want"),
    [
        (SumBy.NAMESPACE, [("one", 2, 6), ("two", 1, 2)]),
        (SumBy.GROUP, [("physics", 2, 6), ("(unknown)", 1, 2)]),
        (SumBy.USER, [("ada", 1, 4), ("(unknown)", 1, 2), ("bob", 1, 2)]),
    ],
)
def test_sums_are_by_namespace_group_and_user(kept, by, want):
    records = [
        lasting("a", MONDAY, 2 * HOUR, namespace="one", user="ada", group="physics"),
        lasting("b", MONDAY, HOUR, namespace="one", user="bob"),
        lasting("c", MONDAY, HOUR, namespace="two", group="physics"),
    ]

    rows = kept(sums_of, asked(), by, records=records)

    assert [(row[by], row["gangs"], row["core-hours"]) for row in rows] == want


def test_weeks_share_what_a_gang_held_and_together_have_all_of_it(kept):
    records = [lasting("long", MONDAY + 6 * DAY, 9 * DAY), lasting("short", MONDAY + 8 * DAY, HOUR)]

    rows = kept(sums_of, asked(), SumBy.WEEK, records=records)

    assert [(row["week"], row["gangs"], row["core-hours"]) for row in rows] == [
        ("2026-11-02", 1, 2 * 24),
        ("2026-11-09", 2, 2 * 7 * 24 + 2),
        ("2026-11-16", 1, 2 * 24),
    ]


def test_losses_say_who_lost_what_for_which_gang(kept):
    lost = [
        stretch(1, MONDAY, ended=MONDAY + HOUR, reason="Preempted", preemptor="default/urgent", lost=HOUR),
        stretch(2, MONDAY + HOUR, ended=MONDAY + 2 * HOUR, reason="ChangingSize", preemptor="default/urgent"),
        stretch(3, MONDAY + 2 * HOUR, ended=MONDAY + 3 * HOUR, reason="ChangingSize"),
        stretch(4, MONDAY + 3 * HOUR, ended=MONDAY + 4 * HOUR, reason="Succeeded"),
    ]

    rows = kept(losses_of, asked(), 9, records=[record("u", *lost)])

    assert [(row["attempt"], row["reason"], row["preemptor"], row["lost member-hours"]) for row in rows] == [
        (2, "ChangingSize", "default/urgent", 0),
        (1, "Preempted", "default/urgent", 1),
    ]


@pytest.mark.parametrize(
    ("winner", "want"),
    [
        pytest.param(record("1-2-3", namespace="other", name="urgent"), "other/urgent", id="a GangJob"),
        pytest.param(record("1-2-3", namespace="other", name="p", kind="Gang"), "other/gang/p", id="a Gang"),
        pytest.param(ended("1-2-3", namespace="other", name="urgent"), "other/urgent", id="that has ended"),
        pytest.param(record("4-5-6", namespace="other", name="urgent"), "1-2-3", id="that is not on record"),
    ],
)
def test_preemptor_of_another_namespace_has_its_name_if_it_is_on_record(kept, winner, want):
    taken = stretch(1, MONDAY, ended=MONDAY + HOUR, reason="Preempted", preemptor="1-2-3", lost=HOUR)

    [row] = kept(losses_of, asked(), 9, records=[record("u", taken), winner])

    assert row["preemptor"] == want
    assert set(row) == {
        *("at", "namespace", "name", "uid", "user", "attempt", "reason", "preemptor", "members"),
        *("lost member-hours", "message"),
    }


def test_file_that_is_not_there_is_an_error_that_names_it(tmp_path):
    with pytest.raises(HistoryError, match=r"record\.db can't be read"), opened_history(tmp_path / "record.db"):
        pass


STEPS_IN_A_SECOND = 40_000_000
"""Steps of SQLite's machine: 15 million took 0.35 s of a core."""


def test_question_to_a_hundred_thousand_gangs_takes_less_than_a_second(tmp_path):
    path = _with_a_hundred_thousand(tmp_path / "record.db")

    for question, *arguments in ((gangs_of, 100), (losses_of, 100), *((sums_of, by) for by in SumBy)):
        steps = count()
        with opened_history(path) as connection:
            connection.set_progress_handler(partial(_step, steps), 100_000)
            assert list(question(connection, asked(NOW - 30 * DAY), *arguments))
        assert next(steps) * 100_000 < STEPS_IN_A_SECOND, question.__name__


@pytest.mark.parametrize("question", [(gangs_of, 100), (losses_of, 100), *((sums_of, by) for by in SumBy)])
def test_question_about_a_namespace_reads_no_others(kept, question):
    """However many gangs others have, since tenants may ask."""
    ask, *arguments = question
    plans = []

    class Explained:
        def __init__(self, connection):
            self.connection = connection

        def execute(self, query, values):
            plans.extend(row["detail"] for row in self.connection.execute(f"EXPLAIN QUERY PLAN {query}", values))
            return self.connection.execute(query, values)

    kept(lambda connection: ask(Explained(connection), asked(namespace="one"), *arguments))

    assert [one for one in plans if "SEARCH g USING INDEX gangs_by_namespace (namespace=?" in one]
    assert not [one for one in plans if one.startswith("SCAN") and one.split()[1] in ("gangs", "stretches", "s", "e")]


def _step(steps):
    """Count, and have SQLite go on."""
    next(steps)
    return 0


def _with_a_hundred_thousand(path):
    """A file with a thousand gangs of 30 days, a hundred times."""
    database = RecordDatabase.open(path, RETENTION, NOW)
    database.take_in(
        [
            lasting(f"{one:06}", NOW - one * 2500, 600, namespace=f"n{one % 40}", outcome=GangOutcome.FAILED)
            for one in range(1, 1001)
        ],
        NOW,
    )
    database.close()
    with sqlite3.connect(path) as connection:
        for table in ("gangs", "stretches"):
            names = [row[1] for row in connection.execute(f"PRAGMA table_info({table})") if row[1] != "uid"]
            columns = ", ".join(f'"{name}"' for name in names)
            numbers = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 99)"
            copies = f"SELECT uid || '-' || x, {columns} FROM {table}, n"  # noqa: S608 - names of ours
            connection.execute(f"{numbers} INSERT INTO {table} (uid, {columns}) {copies}")
        assert connection.execute("SELECT count(*) FROM stretches").fetchone() == (100_000,)
    return path
