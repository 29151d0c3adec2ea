"""Series of owners that were recorded."""

from datetime import UTC, datetime, timedelta

import pytest

from lockstep.simulation.presence.recorded import SeriesError, read_series
from lockstep.simulation.presence.stays import DAY, HOUR

# A Wednesday: the weeks of the series begin two days before.
BEGIN = datetime(2026, 11, 4, tzinfo=UTC)


def line(node, hours, value):
    return f"{node},{(BEGIN + timedelta(hours=hours)).isoformat()},{value}\n"


def series(*lines, kind="present", days=30):
    """Read these lines, of a series that is so long as an owner ``last`` has been seen to be away."""
    ends = [line("last", 0, 0), line("last", 24 * days, 0)]
    return read_series([f"node,time,{kind}\n", *ends, *lines])


def stays(*lines, **how):
    first, *_ = series(*lines, **how).stays
    return ((first.intervals - 2 * DAY) / HOUR).tolist()


def test_what_a_line_says_holds_until_the_next_of_its_node():
    assert stays(line("a", 1, 1), line("b", 2, 0), line("a", 3, 1), line("a", 4, 0)) == [[1, 4]]


def test_lines_may_come_in_any_order():
    assert stays(line("a", 4, 0), line("a", 1, 1)) == [[1, 4]]


def test_owner_is_not_there_for_longer_than_a_day_after_the_last_line():
    assert stays(line("a", 1, 1)) == [[1, 25]]


def test_owner_is_there_with_a_tenth_of_load():
    assert stays(line("a", 1, 0.09), line("a", 2, 0.1), line("a", 3, 0.0999), kind="load") == [[2, 3]]


def test_times_are_seconds_or_any_zone():
    seconds = (BEGIN + timedelta(hours=1)).timestamp()

    assert stays(f"a,{seconds},1\n", "a,2026-11-04T03:30:00+02:00,0\n") == [[1, 1.5]]


def test_weeks_are_whole_and_begin_with_a_monday():
    assert [one.weeks for one in series(days=21).stays + series(days=33).stays + series(days=34).stays] == [4, 5, 6]


@pytest.mark.parametrize(
    ("wrong", "want"),
    [
        pytest.param("a,2026-11-04\n", "line 4: 2 values, not 3", id="too few"),
        pytest.param(",2026-11-04,1\n", "line 4: no node", id="no node"),
        pytest.param("a,yesterday,1\n", "line 4: Invalid isoformat string: 'yesterday'", id="no time"),
        pytest.param("a,-1,1\n", "line 4: -1 is not a time", id="before 1970"),
        pytest.param("a,1e400,1\n", "line 4: 1e400 is not a time", id="after all"),
        pytest.param("a,nan,1\n", "line 4: nan is not a time", id="no number"),
        pytest.param("a,2026-11-04,2\n", "line 4: 2 is no present", id="neither there nor away"),
        pytest.param("a,2026-11-04,nan\n", "line 4: nan is no present", id="unknown"),
        pytest.param("a,2026-11-04,yes\n", "line 4: could not convert string to float: 'yes'", id="no value"),
    ],
)
def test_wrong_line_is_named_by_its_number_and_costs_no_other(wrong, want):
    found = series(wrong, "\n", line("b", 1, 1), line("b", 2, 0))

    assert found.wrong == [want]
    assert len(found.stays) == 2


@pytest.mark.parametrize(
    ("lines", "want"),
    [
        pytest.param([], "the first line is neither node,time,present nor node,time,load", id="empty"),
        pytest.param(["a,0,1\n"], "the first line is neither", id="no names"),
        pytest.param(["node,time,load\n"], "0 days are recorded: 4 to 520 weeks are needed", id="no owner"),
        pytest.param(["node,time,load\n", "a,0,1\n", "a,1728000,1"], "20 days are recorded", id="too short"),
        pytest.param(["node,time,load\n", "a,0,1\n", "a,4e8,1"], "4630 days are recorded", id="too long"),
    ],
)
def test_file_of_which_no_owner_can_be_made_is_refused(lines, want):
    with pytest.raises(SeriesError, match=want):
        read_series(lines)
