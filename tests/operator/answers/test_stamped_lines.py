"""A log that is read in several requests: no line is lost, and none comes twice."""

import pytest

from lockstep.answers.stamped_lines import StampedLines


def taken(*requests):
    """Take the lines of request after request; gives the new lines."""
    lines, new = StampedLines(), []
    for request in requests:
        lines.next_request()
        new += [one for one in map(lines.take, request) if one is not None]
    return new


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param("2027-01-15T07:00:00.000000001Z", "2027-01-15T07:00:00.000000002Z", id="a nanosecond"),
        pytest.param("2027-01-15T07:00:00Z", "2027-01-15T07:00:00.000000001Z", id="a whole second"),
        pytest.param("2027-10-31T02:59:59.9+02:00", "2027-10-31T02:00:00.0+01:00", id="the end of summer time"),
    ],
)
def test_later_line_is_new(first, second):
    one, other = f"{first} one".encode(), f"{second} two".encode()

    assert taken([one], [one, other], [one, other]) == [b"one", b"two"]


def test_lines_of_one_time_are_counted():
    a, b, c = (f"2027-01-15T07:00:00.5Z {name}".encode() for name in "abc")

    assert taken([a, b], [a, b, c], [a, b, c]) == [b"a", b"b", b"c"]


def test_rest_of_a_long_line_is_left_out_with_its_beginning():
    begin, rest, after = b"2027-01-15T07:00:00Z begin", b"rest", b"2027-01-15T07:00:01Z after"

    assert taken([begin, rest], [begin, rest, after]) == [b"begin", b"rest", b"after"]


def test_empty_line_and_line_with_a_time_of_its_own_are_kept():
    stamp = b"2027-01-15T07:00:00Z"

    assert taken([stamp, stamp + b" ", stamp + b" 2027-01-01T00:00:00Z x"]) == [b"", b"", b"2027-01-01T00:00:00Z x"]


def test_request_after_a_line_is_for_lines_since_then():
    lines = StampedLines()

    assert lines.next_request() == {"timestamps": "true"}
    lines.take(b"2027-01-15T07:00:00.25+01:00 x")
    assert lines.next_request() == {"timestamps": "true", "sinceTime": "2027-01-15T07:00:00.25+01:00"}
