"""Sums over random records, beside a count of each second by hand."""

from collections import Counter

import pytest

from builders.records import record, stretch
from engine.builders import seeded
from lockstep.recorder.database import RecordDatabase, Retention
from lockstep.recorder.history import HistoryFilter, SumBy, losses_of, opened_history, sums_of

DAY = 86_400
WEEK = 7 * DAY
MONDAY = 4 * DAY
"""The first Monday, in seconds since 1970."""
LATER = 400 * WEEK


def gang(rnd, name):
    """A gang that holds something now and then, often to the second on which a week begins."""
    time = created = rnd.choice([MONDAY + rnd.randrange(6) * WEEK, rnd.randrange(6 * WEEK)])
    held = []
    for attempt in range(1, rnd.randrange(1, 5)):
        end = time + rnd.choice([0, 1, rnd.randrange(3 * WEEK), (MONDAY - time) % WEEK])
        reason = rnd.choice(["Preempted", "MemberFailed", "ChangingSize"])
        amounts = {"millicores": rnd.randrange(4000), "lost": rnd.choice([0, 3600, 7200])}
        held.append(stretch(attempt, time, ended=end, reason=reason, **amounts))
        time = end + rnd.choice([1, DAY, WEEK])
    ended = rnd.choice([time, held[-1].ended if held else time])
    return record(name, *held, namespace=rnd.choice("ab"), created=created, ended=ended, outcome="Failed")


def by_hand(gangs, since, until):
    """The core-hours and the lost member-hours by namespace."""
    cores, lost = Counter(), Counter()
    for one in gangs:
        for held in one.stretches:
            cores[one.namespace] += held.millicores * max(0, min(held.ended, until) - max(held.began, since)) / 3.6e6
            lost[one.namespace] += held.lost / 3600 if since <= held.ended < until else 0
    return cores, lost


@pytest.fixture
def kept(tmp_path):
    """Store records, and open the history of them."""

    def keep(records):
        retention = Retention(records=1e12, users=1e12, most_bytes=2**30)
        database = RecordDatabase.open(tmp_path / "record.db", retention, 0)
        database.take_in(records, 0)
        database.close()
        return opened_history(tmp_path / "record.db")

    return keep


@pytest.mark.parametrize("seed", range(8))
def test_sums_of_any_period_are_those_by_hand_and_losses_are_in_the_period_in_which_they_happened(kept, seed):
    rnd = seeded(seed)
    gangs = [gang(rnd, f"u{number}") for number in range(12)]
    with kept(gangs) as connection:
        for _ in range(12):
            since = rnd.choice([MONDAY + rnd.randrange(8) * WEEK, rnd.randrange(8 * WEEK)])
            until = since + rnd.choice([1, DAY, WEEK, 3 * WEEK])
            cores, lost = by_hand(gangs, since, until)
            asked = HistoryFilter(since=since, until=until, now=LATER)

            sums = {row["namespace"]: row for row in sums_of(connection, asked, SumBy.NAMESPACE)}
            weeks = list(sums_of(connection, asked, SumBy.WEEK))
            losses = list(losses_of(connection, asked, 1000))

            for name in "ab":
                found = sums.get(name, {"core-hours": 0.0, "lost member-hours": 0.0})
                assert found["core-hours"] == pytest.approx(cores[name])
                assert found["lost member-hours"] == pytest.approx(lost[name])
            assert sum(row["core-hours"] for row in weeks) == pytest.approx(cores.total())
            assert sum(row["lost member-hours"] for row in weeks) == pytest.approx(lost.total())
            assert sum(row["lost member-hours"] for row in losses) == pytest.approx(lost.total())


def test_amounts_that_no_integer_has_room_for_keep_no_sum_from_others(kept):
    """A tenant may request as much as he likes."""
    largest = [record(name, stretch(ended=WEEK, millicores=2**62, gpus=2**62, lost=2**62)) for name in "uv"]
    with kept([*largest, record("w", stretch(ended=WEEK), namespace="small")]) as connection:
        asked = HistoryFilter(since=0, until=2 * WEEK, now=LATER)
        for by in SumBy:
            assert list(sums_of(connection, asked, by))
