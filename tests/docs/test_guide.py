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


MEASURED = times_of(*table("members", "measured", "members · measured"))
LOADS = table("load", "a slow member", "choose it for", "result")[0]


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


def gang_of_size(minimum, maximum, work, **other):
    """A gang of the page's template with a size and work that only its text states."""
    stencil = gang_of("stencil", **work)
    return {**stencil, "spec": {**stencil["spec"], "size": {"min": minimum, "max": maximum}, **other}}


def bid(node, **spec):
    return {"metadata": metadata(node), "spec": spec}


def bids_of_the_loop(folder):
    """What the page's loop over all nodes applies."""
    kubectl = f"""case $1 in get) printf 'node/%s\\n' {" ".join(NODES)} ;; apply) cat; echo --- ;; esac"""
    return [
        bid(one["metadata"]["name"], **one["spec"])
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


OWNER = bid("n12", **MANIFESTS["n12"]["spec"])
SLOW = [bid(name, capacity="500m") for name in NODES[8:]]
OVERHEAD = {"perMember": "30s"}
EXAMPLES = [
    pytest.param(gang_of("stencil"), [], id="stencil"),
    pytest.param(gang_of("solver"), [], id="solver"),
    pytest.param(gang_of_size(12, 12, {"serialTime": "240h"}), [OWNER], id="a night that is too short"),
]
WORK = {
    "Equal": {"serialTime": "8h", "overhead": OVERHEAD},
    "Proportional": {"serialTime": "8h", "overhead": OVERHEAD},
    "Pieces": {"serialTime": "8h"},
}


def test_page_shows_no_other_answers():
    assert len(SAYS) == len(EXAMPLES)


@pytest.mark.parametrize(
    ("gang", "bids", "want"),
    [pytest.param(*one.values, says, id=one.id) for one, says in zip(EXAMPLES, SAYS, strict=True)],
)
def test_lockstep_says_what_the_page_says(gang, bids, want):
    assert what_is_said(gang, bids) == want


@pytest.mark.parametrize(
    ("cell", "want"), [pytest.param(load, result, id=load.split("`")[1]) for load, _, _, result in LOADS]
)
def test_size_of_a_load_is_what_the_page_says(cell, want):
    """8 hours of work in 96 pieces, while four of the twelve nodes are half as fast."""
    load = cell.split("`")[1]
    pieces = {"pieces": 96} if load == "Pieces" else {}
    members, speed = (part.strip() for part in want.split(","))

    message = what_is_said(gang_of_size(1, 12, WORK[load], load=load, **pieces), SLOW)

    assert message.startswith(f"{members} on ")
    assert f"The gang's speed-up over one idle reference node is {speed.split()[0]}, including the wait." in message


def test_gang_of_ten_hours_is_planned_for_the_evening():
    message = what_is_said(gang_of_size(12, 12, {"serialTime": "120h"}), [OWNER])

    assert "The start is expected at 2027-01-15T18:00:00Z, when n12 has room." in message


def test_loop_bounds_the_members_of_every_node(tmp_path):
    stream = gang_of_size(4, 4, {"serialTime": "1h"})
    [container] = stream["spec"]["template"]["spec"]["containers"]
    small = {**container, "resources": {"requests": {"cpu": "2", "memory": "1Gi"}}}
    stream["spec"]["template"] = {"spec": {"containers": [small]}}

    assert what_is_said(stream).startswith("4 members on n01. The gang's speed-up over one idle reference node is 4.0,")
    said = what_is_said(stream, bids_of_the_loop(tmp_path))
    assert said.startswith("4 members on n01, n02. The gang's speed-up over one idle reference node is 4.0,")


def test_gang_avoids_a_busy_node():
    assert "n01…n04, n06…n11" in what_is_said(gang_of("stencil"), [bid("n05", dutyCycle="250m")])


def test_two_runs_give_serial_time_and_overhead():
    (few, short), (many, long) = MEASURED
    overhead = (many * long - few * short) / (many * many - few * few)
    serial = few * short - overhead * few * few

    assert spec_of("stencil")["work"] == {
        "serialTime": f"{serial / 60}m",
        "overhead": {"perMember": f"{overhead}s"},
    }


def test_profile_is_read_between_measured_sizes():
    assert run_time(spec_of("solver")["work"], 5) == 154


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
    assert manifest["spec"]["dutyCycle"] == "250m"
    left = datetime.fromisoformat(manifest["spec"]["expiresAt"]) - datetime.now(UTC)
    assert 240 < left.total_seconds() <= 300
