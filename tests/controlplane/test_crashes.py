"""The operator is killed after each of its writes, before it hears the answer, and started again.

It writes one request at a time here, so that the n-th write is always the same one.
"""

import threading

import pytest

from builders.manifests import bid, gang
from eventually import eventually
from live.in_force import put_in_force
from live.quick_start import Forked
from lockstep_demo.operator_process import OperatorProcess, running

MEMBERS = 4
PLACING = (
    "the reservation",
    *(f"the creation of member {rank}" for rank in range(MEMBERS)),
    *(f"the binding of member {rank}" for rank in range(MEMBERS)),
    "the report that it is placed",
    "the report that it runs",
    "the report that it has succeeded",
)
UNDOING = ("the refusal of a member", "the deletion of a member", "the deletion of the last member", "the release")

PACING = ("the note of what they had", "the resize of a member", "the resize of the last member", "the report of it")
EVICTING = ("the interruption", *UNDOING[1:], "the reservation elsewhere", "the first creation there")
PACED, WHOLE = ("750m", "825m"), ("1500m", None)


@pytest.fixture(scope="module")
def operator(proxy, tmp_path_factory):
    """An operator that talks to the proxy, one write at a time."""
    log = tmp_path_factory.mktemp("operator") / "log"
    with running(OperatorProcess(proxy.kubeconfig, log, "--concurrency", "1", spawn=Forked)) as process:
        yield process


@pytest.fixture
def kill_after(operator, proxy):
    """Arms the proxy: the operator is killed right after its n-th write from now. Returns what to wait on."""

    def arm(count):
        killed = threading.Event()

        def after(_):
            if len(proxy.writes) == count:
                operator.crash()
                killed.set()

        proxy.reset()
        proxy.after = after
        return killed

    yield arm
    proxy.reset()


@pytest.mark.parametrize("count", range(1, len(PLACING) + 1), ids=PLACING)
def test_killed_operator_loses_and_doubles_no_pod(operator, kill_after, arena, pods_seen, count):
    arena.add_nodes(2)
    killed = kill_after(count)
    arena.submit(gang("heat", size=MEMBERS, run_for="1s"))
    revive(operator, killed)

    arena.until_complete("heat")

    assert arena.status("heat")["attempt"] == 1
    assert {(pod.name, pod.attempt) for pod in pods_seen.ever.values()} == {
        (f"heat-1-{rank}", 1) for rank in range(MEMBERS)
    }
    assert len(pods_seen.uids("heat")) == MEMBERS


@pytest.mark.parametrize("count", [1, 3, MEMBERS + 2], ids=[PLACING[0], PLACING[2], PLACING[MEMBERS + 1]])
def test_pieces_are_dealt_once_whatever_process_creates_the_members(operator, kill_after, arena, count):
    fast, slow = arena.add_nodes(2, cpu="2")
    arena.create(bid(fast, capacity="2"))
    killed = kill_after(count)
    arena.submit(gang("tiles", size=MEMBERS, load="Pieces", pieces=17, work={"serialTime": "17m"}))
    revive(operator, killed)

    arena.until_placed("tiles")

    entries = [(one["node"], one["count"], one["pieces"]) for one in arena.status("tiles")["members"]]
    assert entries == [(fast, 2, 6), (slow, 1, 3), (slow, 1, 2)]
    environments = [pod["spec"]["containers"][0]["env"] for pod in arena.pods("tiles")]
    assert [
        next(one["value"] for one in variables if one["name"] == "LOCKSTEP_PIECES") for variables in environments
    ] == [
        "0 6",
        "6 6",
        "12 3",
        "15 2",
    ]


@pytest.mark.parametrize("count", range(4, 8), ids=UNDOING)
def test_operator_killed_while_it_undoes_leaves_nothing(operator, kill_after, arena, pods_seen, count):
    arena.add_nodes(2)
    arena.limit_pods(2)
    killed = kill_after(count)
    arena.submit(gang("heat", size=MEMBERS))
    revive(operator, killed)

    arena.until("heat", "Placed", "False", "QuotaExceeded")
    arena.until_no_pods("heat")
    arena.raise_limit(4)

    arena.until_placed("heat")
    assert pods_seen.bound_at_once("heat") <= set(range(MEMBERS + 1))
    assert len(arena.pods("heat")) == MEMBERS
    assert len({pod["metadata"]["labels"]["lockstep.dev/attempt"] for pod in arena.pods("heat")}) == 1


def test_gang_deleted_while_the_operator_is_dead_leaves_no_pod(operator, kill_after, arena):
    arena.add_nodes(2)
    killed = kill_after(7)
    arena.submit(gang("heat", size=MEMBERS))
    assert killed.wait(timeout=300)
    operator.reap()

    arena.delete_gang("heat")
    operator.start()

    arena.until_no_pods("heat")


def test_member_that_ends_while_the_operator_is_dead_is_counted(operator, arena):
    arena.add_nodes(2)
    arena.submit(gang("heat", size=MEMBERS, run_for="1s"))
    arena.until_placed("heat")

    operator.kill()
    eventually(lambda: {pod["status"]["phase"] for pod in arena.pods("heat")} == {"Succeeded"})
    operator.start()

    arena.until_complete("heat")


def test_member_deleted_while_the_operator_is_dead_is_missed(operator, arena):
    arena.add_nodes(2)
    arena.submit(gang("heat", size=MEMBERS))
    arena.until_placed("heat")

    operator.kill()
    arena.delete_pod("heat-1-2")
    eventually(lambda: len(arena.pods("heat")) == MEMBERS - 1)
    operator.start()

    eventually(lambda: arena.status("heat")["attempt"] == 2)
    arena.until_placed("heat")
    assert [pod["metadata"]["name"] for pod in arena.pods("heat")] == [f"heat-2-{rank}" for rank in range(MEMBERS)]


@pytest.fixture
def two_on_each(arena):
    """A gang of four that runs, two members on each node: on the first they need half of what those on the other do."""
    fast, slow = arena.add_nodes(2, cpu="4")
    arena.create(bid(fast, capacity="2"))
    arena.create(bid(slow, capacity="1"))
    arena.submit(gang("heat", size=MEMBERS, cpu="1500m"))
    eventually(lambda: arena.status("heat").get("startedAt"))
    put_in_force(arena, "heat")
    return fast, slow


@pytest.mark.parametrize("count", range(1, len(PACING) + 1), ids=PACING)
def test_operator_killed_while_it_resizes_paces_all_members_and_knows_what_they_had(
    operator, kill_after, arena, two_on_each, count
):
    fast, slow = two_on_each
    killed = kill_after(count)
    arena.change_gang("heat", pace="Local")
    revive(operator, killed)

    eventually(lambda: cpu_on(arena, fast) == [PACED] * 2 and cpu_on(arena, slow) == [WHOLE] * 2)
    eventually(lambda: arena.status("heat").get("pace", {}).get("givenBack") == "1500m")
    assert arena.status("heat")["pace"]["unpaced"] == [{"container": "main", "request": "1500m"}]
    assert arena.status("heat")["attempt"] == 1


@pytest.mark.parametrize("count", range(1, len(EVICTING) + 1), ids=EVICTING)
def test_operator_killed_while_an_owner_evicts_interrupts_the_gang_once(operator, kill_after, arena, pods_seen, count):
    fast, slow = arena.add_nodes(2, cpu="4")
    arena.create(bid(fast, capacity="2", onReturn="Evict", gracePeriodSeconds=0))
    arena.submit(gang("heat", size=2, work={"serialTime": "1h"}))
    eventually(lambda: arena.status("heat").get("startedAt"))
    assert set(arena.nodes_of("heat")) == {fast}
    killed = kill_after(count)
    arena.patch_bid(fast, ownerPresent=True)
    revive(operator, killed)

    eventually(lambda: arena.status("heat")["attempt"] == 2)
    arena.until_placed("heat")
    assert set(arena.nodes_of("heat")) == {slow}
    assert arena.status("heat").get("restarts", 0) == 0
    assert len([event for event in arena.events("heat") if event["reason"] == "OwnerReturned"]) <= 1
    assert {pod.attempt for pod in pods_seen.ever.values()} == {1, 2}
    assert len(pods_seen.uids("heat")) == 2 * 2


def cpu_on(arena, node):
    """(request, limit) of each member on a node."""
    containers = [pod["spec"]["containers"][0] for pod in arena.pods("heat") if pod["spec"]["nodeName"] == node]
    asked = [one["resources"] for one in containers]
    return [tuple(one.get(kind, {}).get("cpu") for kind in ("requests", "limits")) for one in asked]


def revive(operator, killed):
    """Wait until the operator was killed, and start it again."""
    assert killed.wait(timeout=300), "so many writes never came"
    operator.reap()
    operator.start()
