"""Lines of the request language: one answer each, in order, with the id of the request; numbers that are none."""

import io
import json
import subprocess
import sys

import pytest

from coschedule.__main__ import serve
from coschedule.requests.answer import LONGEST_LINE, answer_line

ONE = {"problem": "equal", "nodes": [{}], "work": {"serial": 12}, "size": {"min": 1, "max": 1}}


def ask(**changes):
    return json.loads(answer_line(json.dumps(ONE | changes).encode()))


@pytest.mark.parametrize("identity", ["a", "", 7, -1, 12345678901234567890123, 1.5, True, None], ids=repr)
def test_answer_repeats_the_id(identity):
    assert ask(id=identity)["id"] == identity
    assert ask(id=identity, nodes=3)["id"] == identity
    assert "id" not in ask()


@pytest.mark.parametrize(
    ("number", "want_message"),
    [
        ("NaN", "is NaN, which is not a JSON number"),
        ("-Infinity", "is -Infinity, which is not a JSON number"),
        ("1e400", "must be 0 or from 1e-18 to 1e18 in size"),
        ("1e999999999", "must be 0 or from 1e-18 to 1e18 in size"),
        ("1e-999999999", "must be 0 or from 1e-18 to 1e18 in size"),
        ("1e99999999999999999999", "has an exponent that is too large"),
        ("1" * 5000, "has more than 64 characters"),
        ("0." + "1" * 5000, "has more than 64 characters"),
    ],
)
def test_number_that_is_none_is_refused_under_its_name(number, want_message):
    line = json.dumps(ONE | {"deadline": 77777}).replace("77777", number).encode()

    assert json.loads(answer_line(line))["error"] == {
        "reason": "InvalidRequest",
        "field": "deadline",
        "message": want_message,
    }


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"\n", id="an empty line"),
        pytest.param(b"nonsense\n", id="no JSON"),
        pytest.param(b"{} {}\n", id="two values"),
        pytest.param(b"[]\n", id="a list"),
        pytest.param(b"3\n", id="a number"),
        pytest.param(b"null\n", id="null"),
        pytest.param(b"\xff\xfe\n", id="no UTF-8"),
        pytest.param(b"\xef\xbb\xbf{}\n", id="a byte order mark"),
        pytest.param(b'{"problem": "equal"\n', id="cut off"),
        pytest.param(b"[" * 100_000 + b"\n", id="deep"),
        pytest.param(b'{"id":' * 100_000 + b"\n", id="deep objects"),
        pytest.param(b'{"id": 1e999}\n', id="an id that is no number"),
        pytest.param(b'{"id": NaN}\n', id="an id that is NaN"),
    ],
)
def test_line_that_is_no_request_gets_one_error(line):
    got = json.loads(answer_line(line))

    assert got["id"] is None
    assert got["error"]["reason"] == "InvalidRequest"


@pytest.mark.parametrize(
    ("line", "want_field"),
    [
        pytest.param(b'{"id": 1, "id": 1}', "id", id="an id"),
        pytest.param(b'{"problem": "pace", "weights": [1], "free": [1], "free": [1]}', "free", id="a list"),
        pytest.param(b'{"problem": "pieces", "pieces": 3, "pieces": 3, "speeds": [1]}', "pieces", id="a number"),
        pytest.param(
            json.dumps(ONE | {"nodes": [{"until": 3}]}).replace('"until": 3', '"until": 3, "until": 3').encode(),
            "nodes[0].until",
            id="a field of a node",
        ),
    ],
)
def test_field_that_is_given_twice_is_refused_whatever_it_holds(line, want_field):
    assert json.loads(answer_line(line))["error"] == {
        "reason": "InvalidRequest",
        "field": want_field,
        "message": "is given more than once",
    }


@pytest.mark.parametrize("zero", ["0", "-0", "-0.0", "0e999999999", '"-0"', '"0/7"'])
def test_every_zero_is_the_same(zero):
    line = json.dumps(ONE | {"nodes": [{"start": 77777}]}).replace("77777", zero).encode()

    got = answer_line(line)

    assert json.loads(got)["start"] == 0
    assert b"-0" not in got


def test_line_may_end_as_on_windows_or_not_at_all():
    answers = io.BytesIO()
    line = json.dumps(ONE).encode()

    serve(io.BytesIO(line + b"\r\n" + line), answers)

    assert [json.loads(one)["finish"] for one in answers.getvalue().splitlines()] == [12, 12]


def test_line_that_is_too_long_gets_one_error_and_the_next_is_answered():
    answers = io.BytesIO()
    longest = b" " * (LONGEST_LINE - 3) + b"{}\n"
    lines = [longest, b" " + longest, b"x" * (2 * LONGEST_LINE + 9) + b"\n", json.dumps(ONE | {"id": 4}).encode()]

    serve(io.BytesIO(b"".join(lines)), answers)

    refused, *too_long, last = [json.loads(line) for line in answers.getvalue().splitlines()]
    assert refused["error"]["field"] == "problem"
    assert [one["error"]["message"] for one in too_long] == [f"is longer than {LONGEST_LINE} bytes"] * 2
    assert last["id"] == 4


def test_lone_surrogate_in_an_id_is_echoed():
    assert answer_line(b'{"id": "\\ud800"}').startswith(b'{"id": "\\ud800", "error"')


def test_lines_are_answered_in_order_and_flushed_one_by_one():
    class Flushed(io.BytesIO):
        flushes = 0

        def flush(self):
            self.flushes += 1
            assert self.getvalue().count(b"\n") == self.flushes

    lines = [json.dumps(ONE | {"id": index}).encode() + b"\n" for index in range(4)]
    lines.insert(2, b"broken\n")
    answers = Flushed()

    serve(io.BytesIO(b"".join(lines)), answers)

    assert [json.loads(line)["id"] for line in answers.getvalue().splitlines()] == [0, 1, None, 2, 3]
    assert answers.flushes == 5


def run(requests):
    return subprocess.run([sys.executable, "-m", "coschedule"], input=requests, capture_output=True, check=False)


def test_module_answers_standard_input():
    ran = run(json.dumps(ONE | {"id": "x"}).encode() + b"\nbroken")

    assert ran.returncode == 0
    assert ran.stderr == b""
    assert [json.loads(line)["id"] for line in ran.stdout.splitlines()] == ["x", None]


def test_module_ends_quietly_when_its_answers_are_not_read():
    lines = (json.dumps(ONE).encode() + b"\n") * 20_000
    with subprocess.Popen(
        [sys.executable, "-m", "coschedule"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        process.stdout.close()
        try:
            process.stdin.write(lines)
            process.stdin.close()
        except BrokenPipeError:
            pass
        stderr = process.stderr.read()

    assert (process.returncode, stderr) == (1, b"")
