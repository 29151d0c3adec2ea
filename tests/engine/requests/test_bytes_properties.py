"""Ten thousand lines of damaged requests, of loose tokens and of any bytes, through the program itself.

It answers each with one object, never with a traceback, and every request in between as if nothing had been.
"""

import json
import subprocess
import sys

import pytest

from engine.builders import seeded
from engine.requests.full_requests import FULL, places, replaced

LINES = 2500
GOOD = b'{"id": "good", "problem": "pace", "weights": [1, "1/2"], "free": ["1/2", 1]}'
WANT_GOOD = b'{"id": "good", "power": "1/2", "pace": [1, 1], "shares": ["1/2", 1]}'

TOKENS = [
    *(b"null", b"true", b"{", b"}", b"[", b"]", b",", b":", b'"', b"\\u0000", b"\\ud800", b"\\", b"\x00", b"\xff"),
    *(b"-", b"-0", b"0", b"7", b"1e5", b"1e999", b"1e-400", b"0e999999999", b"NaN", b"-Infinity", b"9" * 70),
    *(
        b'"1/3"',
        b'"1/0"',
        b'"-1/2"',
        b'"id"',
        b'"nodes"',
        b'"slots"',
        b'{"slots":3}',
        b"[[[[",
        b"\r",
        b"\t",
        b"\xc3\xa9",
    ),
]
VALUES = [
    *(None, True, 0, 1, 2, -1, 1.5, 10**6, 10**12, 10**19, "1/3", "7", "A", [], [0], [1, 2], {}, [[1]], [0] * 24),
    *({"op": "auction"}, {"slots": 10**9}, {"slowdowns": [1, 1]}, {"times": [5, 3]}, {"serial": 9}),
]
NASTY = [
    *(b"", b"\r", b" ", b"null", b"3", b'"problem"', b"[]", b"{}", b"{} {}", b"\x00", b"\xff\xfe", b"\xef\xbb\xbf{}"),
    *(b"[" * 5000, b'{"id":' * 5000, b"[" * 500 + b"]" * 500, b'{"id":' + b"[" * 990 + b"]" * 990 + b"}"),
    *(b'{"id": 1e999}', b'{"id": NaN}', b'{"id": ' + b"9" * 5000 + b"}", b'{"id": -0}', b'{"id": "\\ud800"}'),
    *(
        b'{"id": 1, "id": 2}',
        b'{"problem": "pace", "problem": "pace"}',
        b'{"' + b"x" * 100_000 + b'": 1}',
        GOOD + b"\r",
    ),
]


def damaged(rnd, line):
    """Damage a request: bytes replaced, removed or doubled, tokens put in."""
    damage = bytearray(line)
    for _ in range(rnd.randint(1, 6)):
        place = rnd.randrange(len(damage))
        match rnd.randrange(4):
            case 0:
                damage[place] = rnd.randrange(256)
            case 1:
                del damage[place : place + rnd.randint(1, 9)]
            case 2:
                damage[place:place] = damage[place : place + rnd.randint(1, 20)]
            case 3:
                damage[place:place] = rnd.choice(TOKENS)
    return bytes(damage)


def altered(rnd, request):
    """Put other values at one place of a request or two."""
    for _ in range(rnd.randint(1, 2)):
        path = rnd.choice([path for path in places(request) if path != ("problem",)])
        request = replaced(request, path, rnd.choice(VALUES))
    return request


def any_line(rnd):
    """Draw a line of some kind."""
    match rnd.randrange(6):
        case 0:
            return rnd.randbytes(rnd.randrange(60))
        case 1:
            return b"".join(rnd.choices(TOKENS, k=rnd.randint(1, 25)))
        case 2 | 3:
            return damaged(rnd, json.dumps(rnd.choice(FULL)).encode())
        case _:
            return json.dumps(altered(rnd, rnd.choice(FULL))).encode()


def run(requests):
    return subprocess.run(
        [sys.executable, "-m", "coschedule"], input=requests, capture_output=True, check=False, timeout=120
    )


@pytest.mark.parametrize("seed", range(4))
def test_any_line_gets_one_answer_and_the_next_request_its_own(seed):
    rnd = seeded(seed)
    lines = [*NASTY, *(any_line(rnd).replace(b"\n", b"") for _ in range(LINES))]

    ran = run(b"".join(line + b"\n" + GOOD + b"\n" for line in lines))

    assert (ran.returncode, ran.stderr) == (0, b"")
    answers = ran.stdout.split(b"\n")
    assert answers.pop() == b""
    assert len(answers) == 2 * len(lines)
    assert set(answers[1::2]) == {WANT_GOOD}
    got = [json.loads(answer) for answer in answers[::2]]
    assert all(isinstance(one, dict) for one in got)
    refused = [one["error"] for one in got if "error" in one]
    assert len(refused) > LINES // 2
    assert len(got) - len(refused) > LINES // 40
    assert all(error["reason"] == "InvalidRequest" and error["message"] for error in refused)
