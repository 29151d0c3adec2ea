"""Gangs of every load: chosen as the request language chooses, and each member reads its own part of the work."""

import json
import subprocess
import sys
from fractions import Fraction

import pytest

from builders.manifests import bid, from_now, gang
from live.examples import OFFERS, documents_of, example_of

MILLI = Fraction(1, 1000)
# What a float of seconds since 1970 can distinguish, and what a status shows of a share.
TIME_TOLERANCE = 1e-6
SHARE_TOLERANCE = 1e-12

pytestmark = pytest.mark.usefixtures("operator")


@pytest.mark.parametrize("stem", ["02-range", "10-proportional", "11-pieces"])
def test_example_gets_what_the_request_language_answers(operator, twelve_nodes, stem):
    [manifest] = documents_of(example_of(stem), "GangJob")
    offers = documents_of(OFFERS, "NodeBid")
    want = answer_to(request_of(manifest["spec"], offers))

    placed = placed_example(twelve_nodes, stem)

    decision = decision_on(operator, twelve_nodes.namespace, placed["metadata"]["name"])
    assert decision["finish"] - decision["start"] == pytest.approx(number(want["finish"]), abs=TIME_TOLERANCE)
    assert parts_by_node(placed["status"]) == pytest.approx(wanted_parts(want, offers), abs=SHARE_TOLERANCE)
    assert placed["status"]["size"] == len(wanted_parts(want, offers))


def test_member_reads_its_share(twelve_nodes):
    placed = placed_example(twelve_nodes, "10-proportional")

    shares = {entry["node"]: entry["share"] for entry in placed["status"]["members"]}
    members = members_by_rank(twelve_nodes, "ocean")
    assert [variables["LOCKSTEP_RANK"] for _, variables in members] == [str(rank) for rank in range(11)]
    for node, variables in members:
        assert (variables["LOCKSTEP_SIZE"], variables["LOCKSTEP_SHARE"]) == ("11", shares[node])
        assert "LOCKSTEP_PIECES" not in variables


def test_member_reads_its_pieces(twelve_nodes):
    placed = placed_example(twelve_nodes, "11-pieces")

    counts = {entry["node"]: entry["pieces"] for entry in placed["status"]["members"]}
    members = members_by_rank(twelve_nodes, "sweep")
    assert [variables["LOCKSTEP_RANK"] for _, variables in members] == [str(rank) for rank in range(10)]
    for node, variables in members:
        assert (variables["LOCKSTEP_SIZE"], len(pieces_of(variables))) == ("10", counts[node])
        assert "LOCKSTEP_SHARE" not in variables
    assert [piece for _, variables in members for piece in pieces_of(variables)] == list(range(30))


def test_runs_of_the_sweep_are_done_once_each_by_the_command_of_its_members(twelve_nodes, tmp_path):
    placed_example(twelve_nodes, "11-pieces")
    (tmp_path / "sleep").symlink_to("/bin/true")

    written = [
        line
        for pod in twelve_nodes.pods("sweep")
        for line in what_is_written(pod["spec"]["containers"][0], {"PATH": f"{tmp_path}:/usr/bin:/bin"})
    ]

    assert sorted(written) == sorted(f"run {number} of the sweep" for number in range(30))


def test_member_of_equal_load_reads_no_part(arena):
    arena.add_nodes(1)
    arena.submit(gang("heat", size=2))

    arena.until_placed("heat")

    assert arena.status("heat")["members"] == [{"node": f"{arena.pool}-n01", "count": 2}]
    for _, variables in members_by_rank(arena, "heat"):
        assert {"LOCKSTEP_SHARE", "LOCKSTEP_PIECES"}.isdisjoint(variables)


def test_gang_gets_no_member_that_does_not_end_it_sooner(arena):
    """9 pieces on 8 equal nodes take as long as two pieces; so they do on 5."""
    arena.add_nodes(8, cpu="1")
    arena.submit(gang("tiles", size=(1, 8), load="Pieces", pieces=9, work={"serialTime": "90s"}))

    arena.until_placed("tiles")

    status = arena.status("tiles")
    assert status["size"] == 5
    assert sorted(entry["pieces"] for entry in status["members"]) == [1, 2, 2, 2, 2]
    planned = arena.condition("tiles", "Planned")["message"]
    assert planned.startswith("5 members on ")
    assert (
        ", 1 to 2 pieces each. The gang's speed-up over one idle reference node is 4.5, including the wait" in planned
    )


@pytest.mark.parametrize(
    "load", [{"load": "Proportional"}, {"load": "Pieces", "pieces": 12}], ids=lambda one: one["load"]
)
def test_gang_with_a_deadline_gets_the_fewest_members_that_meet_it(arena, load):
    """12 minutes of work are done in time by three members or more, on equal nodes."""
    arena.add_nodes(6, cpu="1")
    arena.submit(gang("tiles", size=(1, 6), deadline="5m", work={"serialTime": "12m"}, **load))

    arena.until_placed("tiles")

    assert arena.status("tiles")["size"] == 3


@pytest.mark.parametrize(
    "load", [{"load": "Proportional"}, {"load": "Pieces", "pieces": 12}], ids=lambda one: one["load"]
)
def test_gang_waits_for_a_node_with_which_it_ends_sooner(arena, load):
    """Alone the first node would need an hour; a minute later there are two."""
    first, late = arena.add_nodes(2, cpu="1")
    arena.create(bid(late, availableFrom=from_now(60)))
    arena.submit(gang("tiles", size=(1, 2), work={"serialTime": "1h"}, **load))

    planned = arena.until("tiles", "Planned", reason="StartsLater")

    assert f"when {late} has room" in planned["message"]
    assert [entry["node"] for entry in arena.status("tiles")["members"]] == [first, late]


def test_gang_of_pieces_without_work_gets_every_piece_dealt(arena):
    """Its end is unknown, but 9 pieces on 8 equal nodes end as soon on 5."""
    arena.add_nodes(8, cpu="1")
    arena.submit(gang("tiles", size=(1, 8), load="Pieces", pieces=9))

    arena.until_placed("tiles")

    assert sorted(entry["pieces"] for entry in arena.status("tiles")["members"]) == [1, 2, 2, 2, 2]


def test_members_of_one_node_have_different_numbers_of_pieces(arena):
    [node] = arena.add_nodes(1, cpu="4")
    arena.submit(gang("tiles", size=4, load="Pieces", pieces=10, work={"serialTime": "10m"}))

    arena.until_placed("tiles")

    assert arena.status("tiles")["members"] == [
        {"node": node, "count": 2, "pieces": 3},
        {"node": node, "count": 2, "pieces": 2},
    ]
    assert [variables["LOCKSTEP_PIECES"] for _, variables in members_by_rank(arena, "tiles")] == [
        "0 3",
        "3 3",
        "6 2",
        "8 2",
    ]


def test_members_of_one_node_have_the_same_share(arena):
    fast, slow = arena.add_nodes(2, cpu="2")
    arena.create(bid(fast, capacity="2"))
    arena.submit(gang("ocean", size=4, load="Proportional", work={"serialTime": "10m"}))

    arena.until_placed("ocean")

    assert arena.status("ocean")["members"] == [
        {"node": fast, "count": 2, "share": "0.333333333333"},
        {"node": slow, "count": 2, "share": "0.166666666667"},
    ]
    assert ", 17 % to 33 % of the work each. " in arena.condition("ocean", "Planned")["message"]


def test_finish_of_pieces_is_that_of_the_member_which_ends_last(arena, operator):
    fast, slow = arena.add_nodes(2, cpu="1")
    arena.create(bid(fast, capacity="2"))
    overhead = {"fixed": "1s", "perMember": "2s"}
    arena.submit(gang("tiles", size=2, load="Pieces", pieces=7, work={"serialTime": "70s", "overhead": overhead}))

    arena.until_placed("tiles")

    decision = decision_on(operator, arena.namespace, "tiles")
    # Five pieces of 5 s, two of 10 s, and what two members cost.
    assert parts_by_node(arena.status("tiles")) == {fast: 5, slow: 2}
    assert decision["finish"] - decision["start"] == pytest.approx(25 + 1 + 4, abs=TIME_TOLERANCE)


def test_gang_ends_when_the_pieces_of_all_its_roles_are_done(arena, operator):
    """The GPU role takes 40 s on the one fast node, so two members are enough for the other role."""
    fast = arena.add_nodes(5, cpu="1")[0]
    arena.create(bid(fast, capacity="2"))
    manifest = gang("tiles")
    template = manifest["spec"]["template"]
    gpu = {"name": "gpu", "size": {"min": 1, "max": 1}, "load": "Pieces", "pieces": 8, "pieceWeight": 5}
    cpu = {"name": "cpu", "size": {"min": 1, "max": 4}, "load": "Pieces", "pieces": 40}
    roles = [{**gpu, "template": template}, {**cpu, "template": template}]
    arena.submit({**manifest, "spec": {"roles": roles, "work": {"serialTime": "160s"}}})

    arena.until_placed("tiles")

    status = arena.status("tiles")
    assert [(entry["role"], entry["pieces"]) for entry in status["members"]] == [("gpu", 8), ("cpu", 20), ("cpu", 20)]
    assert [variables["LOCKSTEP_PIECES"] for _, variables in members_by_rank(arena, "tiles")] == [
        "0 8",
        "0 20",
        "20 20",
    ]
    decision = decision_on(operator, arena.namespace, "tiles")
    assert decision["finish"] - decision["start"] == pytest.approx(40, abs=TIME_TOLERANCE)
    planned = arena.condition("tiles", "Planned")["message"]
    assert ", gpu with 8 pieces each, cpu with 20 pieces each. " in planned


def placed_example(arena, stem):
    """Apply an example as a reader would; its GangJob once it is placed."""
    example = example_of(stem)
    arena.api.kubectl("apply", "--namespace", arena.namespace, "-f", str(example))
    [manifest] = documents_of(example, "GangJob")
    arena.until_placed(manifest["metadata"]["name"])
    return arena.gang(manifest["metadata"]["name"])


def members_by_rank(arena, name):
    """Node and variables of each member, by rank."""
    members = [(pod["spec"]["nodeName"], variables_of(pod["spec"]["containers"][0])) for pod in arena.pods(name)]
    return sorted(members, key=lambda member: int(member[1]["LOCKSTEP_RANK"]))


def variables_of(container):
    """The variables of a container."""
    return {one["name"]: one["value"] for one in container["env"]}


def what_is_written(container, environment):
    """The lines that the command of a container writes, with its variables and these."""
    done = subprocess.run(
        container["command"],
        env={**environment, **variables_of(container)},
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    return done.stdout.splitlines()


def pieces_of(variables):
    """The pieces of a member, from its variables."""
    first, count = map(int, variables["LOCKSTEP_PIECES"].split(" "))
    return range(first, first + count)


def decision_on(operator, namespace, name):
    """What the last plan that had the gang in it has decided, in exact seconds."""
    decisions = operator.document("/debug/snapshot")["plan"]["decisions"]
    return next(one for one in decisions if one["gang"] == {"namespace": namespace, "name": name})


def parts_by_node(status):
    """What a member on each node has, a share or pieces; 0 for a load that is equal."""
    return {entry["node"]: float(entry.get("share", entry.get("pieces", 0))) for entry in status["members"]}


# The same question in the request language


def request_of(spec, offers):
    """A gang and the nodes' offers, which have one place each, as a request in exact numbers."""
    nodes = [
        {"dutyCycle": ratio(one["spec"]["dutyCycle"]), "capacity": ratio(one["spec"]["capacity"])} for one in offers
    ]
    serial, overhead = seconds(spec["work"]["serialTime"]), spec["work"].get("overhead", {})
    costs = {name: str(seconds(overhead.get(name, "0s"))) for name in ("fixed", "perMember")}
    if "pieces" in spec:
        pieces = spec["pieces"]
        nodes = [{**node, "slots": pieces} for node in nodes]
        time = str(serial / pieces)
        return {"problem": "gangPieces", "nodes": nodes, "pieces": pieces, "secondsPerPiece": time, **costs}
    problem = spec.get("load", "Equal").lower()
    return {"problem": problem, "nodes": nodes, "work": {"serial": str(serial), **costs}, "size": spec["size"]}


def answer_to(request):
    """What ``lockstep solve`` answers."""
    command = [sys.executable, "-m", "lockstep", "solve"]
    done = subprocess.run(command, input=json.dumps(request) + "\n", capture_output=True, text=True, check=True)
    answer = json.loads(done.stdout)
    assert answer.get("feasible"), answer
    return answer


def wanted_parts(answer, offers):
    """What each node that is used gets, as ``parts_by_node`` has it."""
    names = [one["metadata"]["name"] for one in offers]
    if "counts" in answer:
        return {name: count for name, count in zip(names, answer["counts"], strict=True) if count}
    shares = answer.get("shares", [0] * answer["size"])
    return {names[member]: number(share) for member, share in zip(answer["members"], shares, strict=True)}


def number(written):
    """A number of an answer: a JSON number, or a fraction as a string."""
    return float(Fraction(written))


def ratio(quantity):
    """A quantity as the request language writes it."""
    text = str(quantity)
    return str(int(text[:-1]) * MILLI if text.endswith("m") else Fraction(text))


def seconds(duration):
    """A duration of the examples, which have seconds or milliseconds."""
    return int(duration[:-2]) * MILLI if duration.endswith("ms") else Fraction(duration.removesuffix("s"))
