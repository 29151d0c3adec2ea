"""docs/guide.md is true: Lockstep says of each example what the page says, and the algebra gives the numbers."""

import asyncio
import re
import subprocess
from datetime import UTC, datetime
from fractions import Fraction

import pytest
import yaml

from builders.served import at, metadata, node
from coschedule import Goal, Node, choose_equal
from docs.markdown import ROOT, fences
from fake_cluster.jumping import JumpingLoop, now, until
from fake_cluster.rig import operator_over, status_of
from lockstep.api.gangjob.gangjob import parse_gang

PAGE = ROOT / "docs" / "guide.md"
TEXT = PAGE.read_text()
FENCES = fences(PAGE)
SAYS = [fence.text.strip() for fence in FENCES if fence.language == "text"]
PROGRAMS = [fence.text for fence in FENCES if fence.language == "sh"]
MANIFESTS = {
    one["metadata"]["name"]: one
    for fence in FENCES
    if fence.language == "yaml"
    for one in yaml.safe_load_all(fence.text)
}
NODES = [f"n{number:02}" for number in range(1, 13)]


def table(*columns):
    """The rows below the header with these columns, cell by cell, from every table that has it."""
    header = re.escape("| " + " | ".join(columns) + " |")
    found = re.findall(rf"^{header}\n\|[-|]+\|\n((?:\|.*\|\n)+)", TEXT, re.MULTILINE)
    return [[line.strip("|").split("|") for line in rows.splitlines()] for rows in found]


def number(cell):
    return Fraction(re.sub(r"[^\d.]", "", cell))


def times_of(rows):
    """Members and seconds of a table of measurements, whose third column is their product."""
    for members, seconds, both in rows:
        assert number(members) * number(seconds) == number(both)
    return [(number(members), number(seconds)) for members, seconds, _ in rows]


RESULTS = re.compile(
    r"A is (.*?) and B is (.*?), so perMember is .*? = (.*?), fixed is .*? = (.*?), and serialTime is\s.*? = (.*? s)\."
)
MEASURED = [times_of(rows) for rows in table("members", "measured", "members · measured")]


def spec_of(name, **work):
    """The spec of a gang of the page, with other work where that is given."""
    spec = MANIFESTS[name]["spec"]
    return {**spec, "work": work} if work else spec


def gang_of(name, **work):
    return {
        **MANIFESTS[name],
        "metadata": metadata(name, namespace="default", generation=1),
        "spec": spec_of(name, **work),
    }


def bid_of(node, like):
    return {"metadata": metadata(node), "spec": MANIFESTS[like]["spec"]}


def bids_of_the_loop(folder):
    """What the page's loop over all nodes applies."""
    kubectl = f"""case $1 in get) printf 'node/%s\\n' {" ".join(NODES)} ;; apply) cat; echo --- ;; esac"""
    return [
        {"metadata": metadata(one["metadata"]["name"]), "spec": one["spec"]}
        for one in yaml.safe_load_all(run(PROGRAMS[0], folder, kubectl=kubectl))
        if one
    ]


def run(program, folder, **commands):
    """What a program writes where these commands stand in for those of a node."""
    for name, script in commands.items():
        (folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / name).chmod(0o755)
    environment = {"PATH": f"{folder}:/usr/bin:/bin"}
    done = subprocess.run(
        ["sh", "-c", program], env=environment, capture_output=True, text=True, check=False, timeout=300
    )
    assert not done.stderr
    return done.stdout


async def planned(gang, bids):
    name = gang["metadata"]["name"]
    submitted = {**gang, "metadata": {**gang["metadata"], "creationTimestamp": at(now())}}
    async with operator_over(*map(node, NODES), gangs=[submitted], bids=bids) as (api, _):
        conditions = await until(lambda: {one["type"]: one for one in status_of(api, name).get("conditions", [])})
        return conditions["Planned"]["message"]


def what_is_said(gang, bids=()):
    """The message of the condition ``Planned``, on twelve nodes on which nothing runs."""
    with asyncio.Runner(loop_factory=JumpingLoop) as runner:
        return runner.run(planned(gang, bids))


def run_time(work, members):
    """Seconds on that many idle reference nodes."""
    fact = parse_gang(gang_of("stencil", **work), None)
    return choose_equal([Node()] * members, fact.spec.work, Goal(minimum=members, maximum=members)).finish


SLOW = [bid_of(name, "n09") for name in NODES[8:]]
EXAMPLES = [
    pytest.param(gang_of("stencil"), [], id="stencil"),
    pytest.param(gang_of("solver"), [], id="solver"),
    pytest.param(gang_of("fourier"), [], id="fourier"),
    pytest.param(gang_of("training"), SLOW, id="training"),
    pytest.param(gang_of("weather"), SLOW, id="weather"),
    pytest.param(gang_of("sweep"), SLOW, id="sweep"),
    pytest.param(gang_of("ocean"), [], id="ocean"),
    pytest.param(gang_of("stream"), [], id="stream"),
    pytest.param(gang_of("stream"), bids_of_the_loop, id="stream on two slots a node"),
    pytest.param(gang_of("nightly"), [bid_of("n12", "n12")], id="nightly"),
    pytest.param(gang_of("nightly", serialTime="240h"), [bid_of("n12", "n12")], id="nightly that is too long"),
    pytest.param(gang_of("stencil"), [bid_of("n05", "n05")], id="stencil beside a busy node"),
]


def test_page_shows_no_other_answers():
    assert len(SAYS) == len(EXAMPLES)


@pytest.mark.parametrize(
    ("gang", "bids", "want"),
    [pytest.param(*one.values, says, id=one.id) for one, says in zip(EXAMPLES, SAYS, strict=True)],
)
def test_lockstep_says_what_the_page_says(gang, bids, want, tmp_path):
    offers = bids(tmp_path) if callable(bids) else bids

    assert what_is_said(gang, offers) == want


def test_two_runs_give_serial_time_and_overhead():
    (few, short), (many, long) = MEASURED[0]
    overhead = (many * long - few * short) / (many * many - few * few)
    serial = few * short - overhead * few * few

    assert spec_of("stencil")["work"] == {
        "serialTime": f"{serial / 60}m",
        "overhead": {"perMember": f"{overhead}s"},
    }


def test_three_runs_give_two_kinds_of_overhead():
    (p1, t1), (p2, t2), (p3, t3) = MEASURED[1]
    a = (p2 * t2 - p1 * t1) / (p2 - p1)
    b = (p3 * t3 - p2 * t2) / (p3 - p2)
    per_member = (b - a) / (p3 - p1)
    fixed = a - per_member * (p1 + p2)
    serial = p1 * t1 - fixed * p1 - per_member * p1 * p1

    assert [number(found) for found in RESULTS.search(TEXT).groups()] == [a, b, per_member, fixed, serial]
    work = {"serialTime": f"{serial}s", "overhead": {"perMember": f"{per_member}s", "fixed": f"{fixed}s"}}
    assert [(members, run_time(work, int(members))) for members, _ in MEASURED[1]] == MEASURED[1]


def test_third_run_tells_kinds_apart():
    [rows] = table("kind", "serialTime", "overhead", "T(8)", "T(12)")
    works = [
        {
            "serialTime": serial.strip().replace(" ", ""),
            "overhead": {kind.strip(" `"): overhead.strip().replace(" ", "")},
        }
        for kind, serial, overhead, *_ in rows
    ]

    for work, row in zip(works, rows, strict=True):
        assert [(members, run_time(work, int(members))) for members, _ in MEASURED[0]] == MEASURED[0]
        assert [run_time(work, members) for members in (8, 12)] == [number(cell) for cell in row[3:]]


def test_profile_is_read_between_measured_sizes():
    assert run_time(spec_of("solver")["work"], 5) == 154
    assert "for 5 members (600 s + 170 s) / 5 = 154 s" in TEXT


@pytest.fixture
def slice_of_people(tmp_path):
    """The counter of the CPU time that the people at a node have used, where the test puts it."""
    counter = tmp_path / "cgroup" / "user.slice" / "cpu.stat"
    counter.parent.mkdir(parents=True)
    counter.write_text("usage_usec 5000000\nuser_usec 1\n")
    return counter


def test_program_on_a_node_says_how_busy_it_is(tmp_path, slice_of_people):
    """Two of eight cores were busy for a minute."""
    used = 2 * 60 * 1_000_000
    sleep = f"""
        test ! -e {tmp_path}/slept || exit 1
        touch {tmp_path}/slept
        echo usage_usec {5_000_000 + used} > {slice_of_people}
    """
    program = PROGRAMS[1].replace("/sys/fs/cgroup", str(tmp_path / "cgroup"))

    applied = run(program, tmp_path, hostname="echo n05", nproc="echo 8", sleep=sleep, kubectl="cat")

    manifest = yaml.safe_load(applied)
    assert manifest["metadata"] == {"name": "n05"}
    assert manifest["spec"]["dutyCycle"] == MANIFESTS["n05"]["spec"]["dutyCycle"]
    left = datetime.fromisoformat(manifest["spec"]["expiresAt"]) - datetime.now(UTC)
    assert 240 < left.total_seconds() <= 300
