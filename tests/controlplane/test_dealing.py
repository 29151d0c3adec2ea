"""Pieces that are dealt while members run, on a real API server: a real dealer, real members, and the real operator.

No kubelet is there. So the test starts the dealer of rank 0 with that pod's own command, and the members.
"""

import os
import subprocess
import sys
from base64 import b64decode
from concurrent.futures import ThreadPoolExecutor
from time import monotonic, sleep

import pytest

from builders.manifests import gang
from eventually import eventually
from lockstep.dealer.asking import Asker, next_pieces

pytestmark = pytest.mark.usefixtures("operator")

PIECES = 60
DEALT = {"load": "Pieces", "pieces": PIECES, "dealing": "WhileRunning"}
PORT = 7711
PATIENCE = 10_000


class Dealer:
    """The sidecar of a gang's rank 0, as a process of the test; files of its volumes are in a folder."""

    def __init__(self, arena, name, attempt, folder):
        self.arena, self.folder = arena, folder
        self.pod = f"{name}-{attempt}-0"
        spec = next(one for one in arena.pods(name) if one["metadata"]["name"] == self.pod)["spec"]
        [container] = [one for one in spec["initContainers"] if one["name"] == "lockstep-dealer"]
        self.command = [sys.executable, "-m", *map(self._here, container["command"])]
        [source] = [one["valueFrom"] for one in container["env"] if one["name"] == "LOCKSTEP_DEALER_KEY"]
        reference = source["configMapKeyRef"]
        self.key = arena.api.request("GET", f"{arena.core}/configmaps/{reference['name']}")["data"][reference["key"]]

    def __enter__(self):
        environment = {**os.environ, "LOCKSTEP_DEALER_KEY": self.key}
        self.process = subprocess.Popen(self.command, env=environment)
        self.arena.patch_pod_status(self.pod, {"podIP": "127.0.0.1", "podIPs": [{"ip": "127.0.0.1"}]})
        return self

    def __exit__(self, *_):
        self.process.terminate()
        assert self.process.wait(timeout=300) == 0

    def member(self, rank):
        return Asker(f"http://127.0.0.1:{PORT}", self.key, rank)

    @property
    def last_words(self):
        return (self.folder / "termination-log").read_text()

    def _here(self, word):
        return str(self.folder / word.rpartition("/")[2]) if word.startswith("/") else word


def work(asker, effects, fails=frozenset(), at_most=None):
    """A member: it does what it is dealt, until all is over or it is killed after so many pieces."""
    done, failed = [], []
    while at_most is None or len(effects) < at_most:
        pieces = next_pieces(asker, done=done, failed=failed, patience=PATIENCE, sleep=soon, monotonic=monotonic)
        if not pieces:
            return
        effects += pieces
        done, failed = [one for one in pieces if one not in fails], [one for one in pieces if one in fails]


def soon(_):
    """Members of a test ask again sooner than dealers say, who want to spare their nodes."""
    sleep(0.05)


def end_members(arena, name, attempt, words, ranks=(0, 1)):
    for rank in ranks:
        ended = {"name": "lockstep-dealer", "image": "x", "imageID": "", "ready": False, "restartCount": 0}
        state = {"state": {"terminated": {"exitCode": 0, "reason": "Completed", "message": words}}}
        dealer = [] if rank else [{**ended, **state}]
        arena.patch_pod_status(f"{name}-{attempt}-{rank}", {"phase": "Succeeded", "initContainerStatuses": dealer})


def test_members_are_dealt_all_pieces_and_the_status_says_so(arena, tmp_path):
    arena.add_nodes(2)
    arena.submit(gang("tiles", size=2, maxFailedPieces=1, **DEALT))
    arena.until_placed("tiles")
    eventually(lambda: arena.status("tiles").get("startedAt"))

    effects = [[], []]
    with Dealer(arena, "tiles", 1, tmp_path) as dealer, ThreadPoolExecutor(2) as pool:
        [*pool.map(lambda rank: work(dealer.member(rank), effects[rank], fails={7}), range(2))]
        eventually(lambda: arena.status("tiles").get("pieces") == {"done": PIECES - 1, "failed": 1, "firstFailed": [7]})
        assert arena.status("tiles")["progress"] == "1"
        assert arena.condition("tiles", "Complete")["status"] == "False"
    end_members(arena, "tiles", 1, dealer.last_words)

    assert sorted(effects[0] + effects[1]) == [*range(PIECES)]
    arena.until_complete("tiles")


@pytest.mark.search("waits of a minute")
def test_gang_ends_without_a_member_that_finds_no_dealer_any_more(arena):
    """All pieces are settled before the operator reads the dealer; the other member asks on, as its program would."""
    arena.add_nodes(2)
    arena.submit(gang("tiles", size=2, **DEALT))
    arena.until_placed("tiles")
    planned = arena.condition("tiles", "Planned")["message"]
    assert planned.endswith(f". A dealer deals its {PIECES} pieces while it runs.")
    end_members(arena, "tiles", 1, f"done {PIECES}, failed 0:", ranks=[0])

    complete = arena.until("tiles", "Complete", "True", "Succeeded", seconds=150)

    waived = "All pieces are done or have failed, and rank 0 has succeeded. Lockstep does not wait for 1 of 2 members."
    assert complete["message"] == waived
    assert arena.status("tiles")["pieces"] == {"done": PIECES, "failed": 0}
    eventually(lambda: [one["metadata"]["name"] for one in arena.pods("tiles")] == ["tiles-1-0"])


@pytest.mark.search("pieces that are dealt again or fail")
def test_next_attempt_is_dealt_what_was_open(arena, tmp_path):
    arena.add_nodes(2)
    arena.submit(gang("tiles", size=2, failurePolicy={"maxRestarts": 1}, **DEALT))
    arena.until_placed("tiles")
    eventually(lambda: arena.status("tiles").get("startedAt"))
    first, second = [], []
    with Dealer(arena, "tiles", 1, tmp_path) as dealer:
        work(dealer.member(0), first, at_most=20)
        eventually(lambda: arena.status("tiles").get("pieces"))
        done = arena.status("tiles")["pieces"]["done"]
    arena.patch_pod_status("tiles-1-1", {"phase": "Failed"})
    eventually(lambda: arena.status("tiles")["attempt"] == 2 and arena.condition("tiles", "Placed")["status"] == "True")

    kept = arena.api.request("GET", f"{arena.core}/configmaps/tiles-pieces")
    (tmp_path / "second").mkdir()
    # As the kubelet would.
    (tmp_path / "second" / "states").write_bytes(b64decode(kept["binaryData"]["states"]))
    with Dealer(arena, "tiles", 2, tmp_path / "second") as again:
        assert again.key != dealer.key
        work(again.member(0), second)

    assert len(second) <= PIECES - done
    assert {*first, *second} == {*range(PIECES)}


@pytest.mark.search("pieces that are dealt again or fail")
def test_member_that_joins_is_dealt_pieces_and_those_of_one_that_leaves_are_dealt_again(arena, tmp_path):
    arena.add_nodes(1)
    terms = {"mode": "Members", "restartTime": "1s", "minInterval": "1s"}
    arena.submit(gang("tiles", size=(1, 2), cpu="3", work={"serialTime": "400h"}, elastic=terms, **DEALT))
    arena.until_placed("tiles")
    eventually(lambda: arena.status("tiles").get("startedAt"))
    assert arena.status("tiles")["size"] == 1
    first = []
    with Dealer(arena, "tiles", 1, tmp_path) as dealer:
        work(dealer.member(0), first, at_most=20)
        arena.add_nodes(1)
        eventually(lambda: arena.status("tiles")["size"] == 2, seconds=90)
        taken = next_pieces(dealer.member(1), patience=PATIENCE, sleep=soon, monotonic=monotonic)
        assert not {*taken} & {*first}

        arena.change_gang("tiles", elastic={**terms, "size": 1})
        eventually(lambda: arena.status("tiles")["size"] == 1, seconds=90)
        rest = []
        work(dealer.member(0), rest)

    assert {*first, *rest} == {*range(PIECES)}
    assert arena.status("tiles")["attempt"] == 1


@pytest.mark.search("pieces that are dealt again or fail")
def test_too_many_failed_pieces_fail_the_gang(arena, tmp_path):
    arena.add_nodes(2)
    arena.submit(gang("tiles", size=2, **DEALT))
    arena.until_placed("tiles")
    eventually(lambda: arena.status("tiles").get("startedAt"))
    with Dealer(arena, "tiles", 1, tmp_path) as dealer:
        work(dealer.member(0), [], fails={0}, at_most=1)
        next_pieces(dealer.member(0), failed=[0], patience=PATIENCE, sleep=soon, monotonic=monotonic)

        failed = arena.until("tiles", "Failed", "True", "PiecesFailed")

    assert failed["message"] == "1 of 60 pieces failed, and maxFailedPieces allows 0; they are 0."
    assert "GangFailed" in {event["reason"] for event in arena.events("tiles")}
