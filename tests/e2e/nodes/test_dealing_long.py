"""Pieces that are dealt while members run, beside the static deal, and when nodes are lost: `make e2e-nodes LONG=1`."""

import time
from base64 import b64decode
from typing import NamedTuple

import pytest

from e2e.cluster import Cluster
from e2e.gangs import NAMESPACE
from e2e.nodes.conftest import FAST, SLOTS, SLOW, SPEEDS
from e2e.nodes.dealt import Effects, pieces_job
from e2e.nodes.jobs import Jobs, job, number_after, size, template
from lockstep.facts.piece_states import PieceState, unpacked

EVERYWHERE = SLOTS * len(SPEEDS)
DEALT = {"dealing": "WhileRunning"}
ALIKE = {FAST: 1.0, SLOW: 1.0}
# The bids say that the first node is twice as fast as the other. In truth it takes three times as long.
TRUTH = {FAST: 1.5, SLOW: 0.5}
FEW = 240
# Minutes of work, unless the members are asked to hurry.
PIECES = 2000
MEMBERS = {"mode": "Members", "restartTime": "5s", "minInterval": "10s"}


class Took(NamedTuple):
    """From the first member's start: the seconds until the first piece was begun, and until the last member's end."""

    until_first: float
    whole: float


def seconds_of(jobs: Jobs, effects: Effects, name: str) -> Took:
    """Return how long the members of a gang took."""
    logs = jobs.logs(name).values()
    began = min(number_after("started", text) for text in logs)
    return Took(effects.first_try - began, max(number_after("ended", text) for text in logs) - began)


def run_whole(jobs: Jobs, effects: Effects, name: str, **spec: str) -> Took:
    """Run a gang to its end, and return the seconds that its members took."""
    work = {"serialTime": f"{FEW // 2}s"}
    jobs.submit_job(pieces_job(name, effects, TRUTH, size=size(EVERYWHERE), pieces=FEW, work=work, **spec))
    jobs.until(name, "Complete", "True", "Succeeded")
    assert effects.are_of(FEW)
    return seconds_of(jobs, effects, name)


def part_of(effects: Effects, node: str) -> float:
    """Return the part of all tries that were on that node."""
    tries = [one.node for one in effects.tries]
    return tries.count(node) / len(tries)


def kept_as_done(cluster: Cluster, name: str) -> set[int]:
    """Return the pieces that the gang's ConfigMap has as done."""
    kept = cluster.get("configmap", f"{name}-pieces", f"--namespace={NAMESPACE}").get("binaryData")
    if not kept:
        return set()
    states = unpacked(b64decode(kept["states"]), PIECES)
    return {piece for piece, state in enumerate(states) if state == PieceState.DONE}


def test_members_on_the_truly_fast_node_do_most_pieces(jobs, tmp_path, measured):
    beforehand, dealt = Effects(tmp_path / "beforehand"), Effects(tmp_path / "dealt")

    of_bids = run_whole(jobs, beforehand, "beforehand")
    jobs.delete("beforehand")
    while_running = run_whole(jobs, dealt, "dealt", **DEALT)

    bound = dealt.bound(TRUTH, jobs.nodes("dealt"))
    measured(
        {
            "the static deal": of_bids.whole,
            "dealt while running": while_running.whole,
            "of these until the dealer answers": while_running.until_first,
            "the bound": bound,
        }
    )
    measured.say(f"{while_running.whole / bound:.2f} of the bound, the static deal {of_bids.whole / bound:.2f}")
    assert part_of(beforehand, SLOW) < 1 / 2 < part_of(dealt, SLOW)


def test_gang_goes_on_with_the_kept_states_when_the_node_of_rank_0_is_lost(cluster, nodes, jobs, tmp_path, measured):
    effects = Effects(tmp_path / "done")
    sizes = {"min": SLOTS, "max": EVERYWHERE}
    jobs.submit_job(pieces_job("lost", effects, ALIKE, size=sizes, pieces=PIECES, **DEALT))
    jobs.started_by_rank("lost", EVERYWHERE)
    first = next(pod["spec"]["nodeName"] for pod in jobs.pods("lost") if pod["metadata"]["name"] == "lost-1-0")
    cluster.until(lambda: kept_as_done(cluster, "lost"))

    known, silent = kept_as_done(cluster, "lost"), time.time()
    nodes[first].stop_kubelet()
    try:
        starts = jobs.started_by_rank("lost", SLOTS, attempt=2)
        cluster.until(lambda: [one for one in effects.tries if one.pod == "lost-2-0"])
        effects.hurry()
        jobs.until("lost", "Complete", "True", "Succeeded")
    finally:
        nodes[first].start_kubelet()

    again = {one.piece for one in effects.tries if one.pod.startswith("lost-2-")}
    assert effects.are_of(PIECES)
    assert not again & known
    measured({"from the node's last word to the first work elsewhere": max(starts) - silent})
    measured.say(f"{PIECES} pieces were begun {len(effects.tries)} times; {len(known)} were known as done at the loss")


def test_gang_ends_without_a_member_that_hangs_on_pieces_which_others_have_done(cluster, jobs, tmp_path, measured):
    effects = Effects(tmp_path / "done")
    jobs.submit_job(pieces_job("hangs", effects, ALIKE, size=size(EVERYWHERE), pieces=PIECES, **DEALT))
    jobs.started_by_rank("hangs", EVERYWHERE)
    cluster.until(lambda: jobs.status("hangs").get("pieces"))
    effects.hang(1)
    effects.hurry()
    cluster.until(lambda: jobs.status("hangs")["pieces"] == {"done": PIECES, "failed": 0})
    settled = time.time()
    cluster.until(lambda: "0" in jobs.status("hangs").get("succeededRanks", ""))
    jobs.until("hangs", "Complete", "True", "Succeeded")

    measured({"from the last piece to the end without the member that hangs": time.time() - settled})
    assert effects.are_of(PIECES)
    assert jobs.status("hangs")["attempt"] == 1
    cluster.until(lambda: "hangs-1-1" not in {pod["metadata"]["name"] for pod in jobs.pods("hangs")})


@pytest.mark.usefixtures("equal_nodes")
def test_members_that_join_get_pieces_and_those_of_members_on_a_lost_node_are_dealt_again(
    cluster, nodes, jobs, tmp_path, measured
):
    stay = template("stay")
    stay["spec"]["nodeSelector"] = {"kubernetes.io/hostname": SLOW}
    jobs.submit_job(job("in-the-way", size=size(SLOTS), template=stay))
    jobs.started_by_rank("in-the-way", SLOTS)
    effects = Effects(tmp_path / "done")
    terms = {"size": {"min": 2, "max": EVERYWHERE}, "work": {"serialTime": "100h"}, "elastic": MEMBERS}
    jobs.submit_job(pieces_job("flock", effects, ALIKE, pieces=PIECES, **terms, **DEALT))
    first = jobs.started_by_rank("flock", SLOTS)

    free = time.time()
    jobs.delete("in-the-way")
    starts = jobs.started_by_rank("flock", EVERYWHERE)
    assert starts[:SLOTS] == first
    cluster.until(lambda: len({one.pod for one in effects.tries}) == EVERYWHERE)

    nodes[SLOW].stop_kubelet()
    silent = time.time()
    try:
        cluster.until(lambda: jobs.status("flock")["size"] == SLOTS)
        left = time.time() - silent
        effects.hurry()
        jobs.until("flock", "Complete", "True", "Succeeded")
    finally:
        nodes[SLOW].start_kubelet()

    assert effects.are_of(PIECES)
    assert (jobs.status("flock")["attempt"], jobs.status("flock").get("restarts", 0)) == (1, 0)
    measured(
        {
            "from a command that frees room to the first work of all members that join": max(starts) - free,
            "from the node's last word until only the others count": left,
        }
    )
