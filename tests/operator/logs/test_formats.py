"""How a line of the log is written."""

import json
import logging
import re
import sys
from pathlib import Path

import pytest

from coschedule import GangKey
from lockstep.logs.fields import about
from lockstep.logs.formats import JsonFormat, TextFormat

TOKEN = "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJsb2Nrc3RlcCJ9.c2lnbmF0dXJl-_"
FORMATS = [pytest.param(JsonFormat(), id="json"), pytest.param(TextFormat(), id="text")]


def record(sentence, *arguments, **more):
    """One event of a logger."""
    made = logging.getLogger("lockstep.act.ending.undo").makeRecord(
        "lockstep.act.ending.undo",
        logging.WARNING,
        __file__,
        1,
        sentence,
        arguments,
        more.get("exc_info"),
        extra=more.get("extra"),
    )
    made.created, made.msecs = 1_700_000_000.25, 250.0
    return made


def caught(error):
    """An error that was raised, as loggers take it."""
    try:
        raise error
    except type(error):
        return sys.exc_info()


def test_json_line_has_the_gang_in_a_field():
    line = JsonFormat().format(record("attempt %d is undone", 2, extra=about(GangKey("team", "heat"))))

    assert json.loads(line) == {
        "time": "2023-11-14T22:13:20.250+00:00",
        "level": "warning",
        "logger": "lockstep.act.ending.undo",
        "message": "attempt 2 is undone",
        "gang": "team/heat",
    }


def test_text_line_has_the_gang_before_the_sentence():
    line = TextFormat().format(record("attempt %d is undone", 2, extra=about(GangKey("team", "heat"))))

    assert line.endswith(" WARNING lockstep.act.ending.undo: team/heat: attempt 2 is undone")


def test_line_about_an_attempt_has_its_number_in_both_formats():
    entry = record("POST %s: 201", "/api", extra=about(GangKey("team", "heat"), 3))

    assert json.loads(JsonFormat().format(entry))["attempt"] == 3
    assert TextFormat().format(entry).endswith(" team/heat: attempt 3: POST /api: 201")


def test_line_about_no_gang_says_so_in_neither_format():
    assert "gang" not in json.loads(JsonFormat().format(record("ready")))
    assert TextFormat().format(record("ready")).endswith(" lockstep.act.ending.undo: ready")


def test_json_line_holds_the_traceback():
    line = JsonFormat().format(record("a cycle failed", exc_info=caught(ValueError("two\nlines"))))

    assert "\n" not in line
    fields = json.loads(line)
    assert fields["message"] == "a cycle failed"
    assert fields["exception"].startswith("Traceback (most recent call last):\n")
    assert fields["exception"].endswith("ValueError: two\nlines")


@pytest.mark.parametrize("written", FORMATS)
@pytest.mark.parametrize("ending", ["\n", "\r", "\x1b[2K", "\x85"])
def test_sentence_stays_on_its_line(written, ending):
    line = written.format(record("denied: %s", f"no{ending}2026-01-01 ERROR lockstep: all is lost"))

    assert len(line.splitlines()) == 1
    assert "\x1b" not in line


@pytest.mark.parametrize("written", FORMATS)
@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"'Authorization': 'Bearer {TOKEN}'", id="a header"),
        pytest.param("Authorization: bearer s3cr3t-t0ken", id="a token that is no web token"),
        pytest.param(f"token={TOKEN}&x=1", id="a web token somewhere"),
    ],
)
def test_no_token_is_written(written, text):
    line = written.format(record("it says %s", text, exc_info=caught(ValueError(text))))

    assert [secret for secret in (TOKEN, "s3cr3t") if secret in line] == []
    assert "it says " in line


def test_long_words_of_a_tenant_are_written_in_no_time():
    # Where each beginning of a token was followed to the end of the text, this took half an hour.
    words = "-eyJ" * 500_000

    assert words in TextFormat().format(record("denied: %s", words))


def test_name_that_resembles_the_start_of_a_token_stays():
    assert "eyJ-7 and bearer of news" in TextFormat().format(record("eyJ-7 and bearer of news"))


def test_operations_page_finds_a_gang_in_both_formats():
    page = (Path(__file__).parents[3] / "docs" / "operations" / "running.md").read_text()
    in_json, in_text = re.findall(r"^\$ kubectl .* logs .* \| grep '(.*)'$", page, re.MULTILINE)
    line = record("it is gone", extra=about(GangKey("default", "first")))

    assert in_json in JsonFormat().format(line)
    assert in_text in TextFormat().format(line)
