"""The log of a whole process."""

import json
import subprocess
import sys

import pytest

PROGRAM = """
import asyncio, logging, threading, warnings
from lockstep.logs.formats import LogFormat
from lockstep.logs.setup import set_up_logs

set_up_logs("debug", LogFormat.{name})
logging.getLogger("lockstep.act").debug("ours")
logging.getLogger("requests_oauthlib").debug("body: refresh_token=secret")
logging.getLogger("aiohttp.server").error("theirs")
warnings.warn("careful")
thread = threading.Thread(target=lambda: 1 / 0)
thread.start()
thread.join()
async def fail():
    raise ValueError("two\\nlines")
asyncio.run(fail())
"""


def written_by(name):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(name=name)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (1, "")
    return done.stderr


def test_whatever_a_process_says_is_one_json_object_a_line():
    lines = [json.loads(line) for line in written_by("JSON").splitlines()]

    assert [line["logger"] for line in lines] == ["lockstep.act", "aiohttp.server", "py.warnings", *["lockstep"] * 2]
    assert "UserWarning: careful" in lines[2]["message"]
    assert [line["exception"].splitlines()[-1] for line in lines[3:4]] == ["ZeroDivisionError: division by zero"]
    assert lines[4]["exception"].endswith("ValueError: two\nlines")


def test_text_has_tracebacks_in_the_lines_that_follow():
    assert written_by("TEXT").endswith("\nValueError: two\nlines\n")


@pytest.mark.parametrize("name", ["JSON", "TEXT"])
def test_libraries_do_not_debug(name):
    assert "secret" not in written_by(name)
