"""The request language: what is answered, what is refused and under which name, and that no line stops it."""

import io
import json
import subprocess
import sys

import pytest

from coschedule.__main__ import serve
from coschedule.requests.answer import answer_line
from engine.builders import seeded

ONE = {"problem": "equal", "nodes": [{}], "work": {"serial": 12}, "size": {"min": 1, "max": 1}}


def answer(request):
    line = answer_line(json.dumps(request).encode())
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    return json.loads(line)


def ask(**changes):
    return answer(ONE | changes)


@pytest.mark.parametrize(
    ("changes", "want"),
    [
        pytest.param({}, {"finish": 12, "size": 1, "members": [0], "start": 0, "speedup": 1}, id="whole numbers"),
        pytest.param(
            {"nodes": [{}] * 7, "size": {"min": 7, "max": 7}},
            {"finish": 12 / 7, "size": 7, "members": [*range(7)], "start": 0, "speedup": 7},
            id="a fraction is answered as a number",
        ),
        pytest.param(
            {"nodes": [{}] * 7, "size": {"min": 7, "max": 7}, "work": {"serial": "12"}},
            {"finish": "12/7", "size": 7, "members": [*range(7)], "start": 0, "speedup": 7},
            id="and as a rational when the request has one",
        ),
        pytest.param(
            {"nodes": [{"dutyCycle": 0.1, "capacity": "2"}]},
            {"finish": "33/5", "size": 1, "members": [0], "start": 0, "speedup": "20/11"},
            id="beside a rational a decimal means what is written",
        ),
        pytest.param(
            {"work": {"serial": 0.1}},
            {"finish": 0.1, "size": 1, "members": [0], "start": 0.0, "speedup": 1.0},
            id="decimals are floats",
        ),
        pytest.param(
            {
                "nodes": [{"start": 2, "slots": 2, "until": 8, "dutyCycle": 0, "capacity": 1}],
                "size": {"min": 1, "max": 9},
            },
            {"finish": 8, "size": 2, "members": [0, 0], "start": 2, "speedup": 1.5},
            id="slots and a window",
        ),
        pytest.param(
            {"nodes": [{"slowdowns": ["1", "3/2", 2]}], "size": {"min": 2, "max": 3}},
            {"finish": 8, "size": 3, "members": [0, 0, 0], "start": 0, "speedup": "3/2"},
            id="slow-downs by count",
        ),
        pytest.param(
            {"nodes": [{"start": 0, "dutyCycle": 0, "capacity": 1, "until": None, "slots": 1, "slowdowns": None}]},
            {"finish": 12, "size": 1, "members": [0], "start": 0, "speedup": 1},
            id="every default spelt out",
        ),
        pytest.param(
            {"work": {"times": [600, 310, 205]}, "nodes": [{}] * 5, "size": {"min": 1, "max": 5}},
            {"finish": 205, "size": 3, "members": [0, 1, 2], "start": 0, "speedup": 600 / 205},
            id="measured times end the list of sizes",
        ),
        pytest.param(
            {"work": {"serial": 8, "perLogMember": 1}, "nodes": [{}] * 4, "size": {"min": 4, "max": 4}},
            {"finish": 4.0, "size": 4, "members": [0, 1, 2, 3], "start": 0.0, "speedup": 2.0},
            id="logarithmic overhead",
        ),
        pytest.param(
            {"nodes": [{}] * 4, "size": {"min": 1, "max": 4}, "deadline": 6, "objective": "fewest"},
            {"finish": 6, "size": 2, "members": [0, 1], "start": 0, "speedup": 2},
            id="fewest members for a deadline",
        ),
        pytest.param(
            {"nodes": [{}, {"capacity": "3/4"}], "size": {"min": 1, "max": 2}, "price": 2},
            {"finish": 12, "size": 1, "members": [0], "start": 0, "speedup": 1},
            id="a price",
        ),
    ],
)
def test_answer(changes, want):
    got = ask(**changes)

    assert got == {"feasible": True} | want
    assert [type(value) for value in got.values()] == [type(value) for value in ({"feasible": True} | want).values()]


@pytest.mark.parametrize("identity", ["a", "", 7, -1, 12345678901234567890123, 1.5, True, None], ids=repr)
def test_answer_repeats_the_id(identity):
    assert ask(id=identity)["id"] == identity
    assert ask(id=identity, nodes=3)["id"] == identity
    assert "id" not in ask()


def test_no_group_is_an_answer_and_not_an_error():
    assert ask(id=1, nodes=[]) == {
        "id": 1,
        "feasible": False,
        "reason": "NoGroupFits",
        "message": "needs 1 or more members and the nodes hold 0",
    }


@pytest.mark.parametrize(
    ("changes", "want_field"),
    [
        pytest.param({"problem": "equals"}, "problem", id="unknown problem"),
        pytest.param({"problem": ["equal"]}, "problem", id="a list for a problem"),
        pytest.param({"nodez": []}, "nodez", id="unknown field"),
        pytest.param({"nodes": {}}, "nodes", id="nodes are no list"),
        pytest.param({"nodes": [{}, 3]}, "nodes[1]", id="a node is no object"),
        pytest.param({"nodes": [{"speed": 3}]}, "nodes[0].speed", id="unknown field of a node"),
        pytest.param({"nodes": [{}, {}, {"dutyCycle": -1}]}, "nodes[2].dutyCycle", id="negative duty cycle"),
        pytest.param({"nodes": [{"capacity": 0}]}, "nodes[0].capacity", id="no capacity"),
        pytest.param({"nodes": [{"capacity": "0/1"}]}, "nodes[0].capacity", id="rational without capacity"),
        pytest.param({"nodes": [{"start": "-1/2"}]}, "nodes[0].start", id="start before the request"),
        pytest.param({"nodes": [{"start": None}]}, "nodes[0].start", id="null is no number"),
        pytest.param({"nodes": [{"start": True}]}, "nodes[0].start", id="true is no number"),
        pytest.param({"nodes": [{"start": "1.5"}]}, "nodes[0].start", id="a decimal in a string"),
        pytest.param({"nodes": [{"start": "1/0"}]}, "nodes[0].start", id="division by zero"),
        pytest.param({"nodes": [{"start": "1/-2"}]}, "nodes[0].start", id="a sign below"),
        pytest.param({"nodes": [{"start": "٣"}]}, "nodes[0].start", id="digits of another script"),
        pytest.param({"nodes": [{"start": "9" * 65}]}, "nodes[0].start", id="a rational of 65 digits"),
        pytest.param({"nodes": [{"start": 10**19}]}, "nodes[0].start", id="a huge number"),
        pytest.param({"nodes": [{"capacity": 1e-300}]}, "nodes[0].capacity", id="a tiny number"),
        pytest.param({"nodes": [{"until": -1}]}, "nodes[0].until", id="taken back before the request"),
        pytest.param({"nodes": [{"slots": 0}]}, "nodes[0].slots", id="no slots"),
        pytest.param({"nodes": [{"slots": 1.5}]}, "nodes[0].slots", id="half a slot"),
        pytest.param({"nodes": [{"slowdowns": []}]}, "nodes[0].slowdowns", id="no slow-downs"),
        pytest.param({"nodes": [{"slowdowns": [2, 1]}]}, "nodes[0].slowdowns[1]", id="falling slow-downs"),
        pytest.param({"nodes": [{"slowdowns": [1], "slots": 2}]}, "nodes[0].slots", id="slots beside slow-downs"),
        pytest.param({"work": 3}, "work", id="work is no object"),
        pytest.param({"work": {}}, "work.serial", id="no work"),
        pytest.param({"work": {"serial": 0}}, "work.serial", id="nothing to do"),
        pytest.param({"work": {"serial": 1, "perMember": -1}}, "work.perMember", id="negative overhead"),
        pytest.param({"work": {"serial": 1, "times": [1]}}, "work.serial", id="two kinds of work"),
        pytest.param({"work": {"times": []}}, "work.times", id="no times"),
        pytest.param({"work": {"times": [3, 0]}}, "work.times[1]", id="no time"),
        pytest.param({"work": {"times": [3, None]}}, "work.times[1]", id="an unknown time"),
        pytest.param({"size": {"min": 1}}, "size.max", id="no largest size"),
        pytest.param({"size": {"min": 0, "max": 1}}, "size.min", id="nobody"),
        pytest.param({"size": {"min": 2, "max": 1}}, "size.max", id="an empty range"),
        pytest.param({"size": {"min": 1, "max": 10**7}}, "size.max", id="a gang too large"),
        pytest.param({"deadline": "soon"}, "deadline", id="a word for a deadline"),
        pytest.param({"deadline": -3}, "deadline", id="a deadline before the request"),
        pytest.param({"objective": "most"}, "objective", id="unknown objective"),
        pytest.param({"objective": None}, "objective", id="no objective"),
        pytest.param({"price": -1}, "price", id="negative price"),
        pytest.param({"id": {}}, "id", id="an object for an id"),
    ],
)
def test_refusal_names_the_field(changes, want_field):
    got = ask(**changes)

    assert (got["error"]["reason"], got["error"]["field"]) == ("InvalidRequest", want_field)
    assert got["error"]["message"]
    assert got.keys() == {"id", "error"}


@pytest.mark.parametrize("name", ["problem", "nodes", "work", "size"])
def test_missing_field_is_named(name):
    request = {key: value for key, value in ONE.items() if key != name}

    assert answer(request)["error"] == {"reason": "InvalidRequest", "field": name, "message": "is required"}


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


def mutated(rnd, line):
    """Damage a good request: bytes replaced, removed, doubled, or a token replaced by another."""
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
        if not damage:
            break
    return bytes(damage).replace(b"\n", b" ")


TOKENS = [
    b"null",
    b"-",
    b"1e5",
    b'"1/3"',
    b"[",
    b"}",
    b"NaN",
    b"1e999",
    b'"',
    b"\\u0000",
    b"0",
    b'{"slots":3}',
    b",",
    b"true",
]


@pytest.mark.parametrize("seed", range(8))
def test_damaged_requests_get_one_answer_each_and_the_next_line_is_answered(seed):
    rnd = seeded(seed)
    good = json.dumps(
        ONE | {"id": 5, "nodes": [{"start": 1, "slots": 2}, {"dutyCycle": 0.5, "until": "7/2"}, {"slowdowns": [1, 2]}]}
    ).encode()
    lines = [
        mutated(rnd, good) if rnd.random() < 0.8 else rnd.randbytes(rnd.randrange(60)).replace(b"\n", b"")
        for _ in range(250)
    ]
    answers = io.BytesIO()

    serve(io.BytesIO(b"".join(line + b"\n" + good + b"\n" for line in lines)), answers)

    got = [json.loads(line) for line in answers.getvalue().splitlines()]
    assert len(got) == 2 * len(lines)
    assert all(one == got[1] and one["feasible"] for one in got[1::2])
    assert all(("error" in one) != ("feasible" in one) for one in got)
    assert sum("error" in one for one in got[::2]) > 100


def run(requests):
    return subprocess.run([sys.executable, "-m", "coschedule"], input=requests, capture_output=True, check=False)


def test_module_answers_standard_input():
    ran = run(json.dumps(ONE | {"id": "x"}).encode() + b"\nbroken")

    assert ran.returncode == 0
    assert ran.stderr == b""
    assert [json.loads(line)["id"] for line in ran.stdout.splitlines()] == ["x", None]


def test_module_ends_quietly_when_nobody_reads_the_answers():
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
