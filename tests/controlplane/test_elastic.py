"""Gangs that change their size while they run, on a real API server: what their owner sees."""

import time

import pytest

from builders.manifests import bid, foreign_pod, gang, priority_class, quota, with_launcher
from builders.notices import NOTICE, READS, READY
from eventually import eventually
from lockstep.api.quantities import epoch_seconds

pytestmark = pytest.mark.usefixtures("operator")

RESTART = {"mode": "Restart", "restartTime": "1s", "minInterval": "1s"}
MEMBERS = {**RESTART, "mode": "Members"}
LONG = {"serialTime": "400h"}
SLOTS = 3


@pytest.fixture
def two_nodes(arena):
    """Two nodes for three members each."""
    names = arena.add_nodes(2, cpu="8")
    for name in names:
        arena.create(bid(name, capacity="1", slots=SLOTS))
    return names


def elastic(name="adds", **more):
    """Describe a gang of two members at least, for which another size is worth a change."""
    return gang(name, size=(2, 2 * SLOTS), cpu="50m", work=LONG, elastic=RESTART, **more)


def run(arena, manifest, size):
    """Place a gang and wait until its members are known to run."""
    name = arena.submit(manifest)["metadata"]["name"]
    eventually(lambda: "startedAt" in arena.status(name), seconds=60)
    assert arena.status(name)["size"] == size
    return name


def until_size(arena, name, size):
    """Wait until the gang has that size, and all of its members run."""
    eventually(lambda: arena.status(name).get("size") == size and "startedAt" in arena.status(name), seconds=90)


def test_gang_grows_when_room_becomes_free(arena, two_nodes):
    run(arena, gang("in-the-way", size=SLOTS, cpu="50m"), SLOTS)
    run(arena, elastic(), SLOTS)

    arena.delete_gang("in-the-way")
    until_size(arena, "adds", 2 * SLOTS)

    assert arena.nodes_of("adds") == sorted(two_nodes * SLOTS)
    [event] = arena.until_events("adds", "GangChangesSize")
    assert event["note"].startswith("Grows from 3 to 6 members: there is room for 3 more; it ends ")
    assert "next" not in arena.status("adds")
    assert arena.status("adds").get("restarts", 0) == 0


def test_workers_grow_and_shrink_and_their_launcher_keeps_its_node(arena, two_nodes):
    run(arena, gang("in-the-way", size=SLOTS, cpu="50m"), SLOTS)
    workers = gang("adds", size=(1, 2 * SLOTS - 1), cpu="50m", work=LONG, elastic=RESTART)
    run(arena, with_launcher(workers), SLOTS)
    launcher, *_ = arena.status("adds")["members"]

    arena.delete_gang("in-the-way")
    until_size(arena, "adds", 2 * SLOTS)

    assert launcher["role"] == "launcher"
    assert arena.status("adds")["members"][0] == launcher
    assert arena.nodes_of("adds") == sorted(two_nodes * SLOTS)
    [event] = arena.until_events("adds", "GangChangesSize")
    assert event["note"].startswith("Grows from 3 to 6 members: there is room for 3 more; it ends ")

    arena.change_gang("adds", elastic={**RESTART, "size": SLOTS})
    until_size(arena, "adds", SLOTS)
    assert arena.status("adds")["members"][0] == launcher


def test_gang_without_work_grows_into_idle_nodes_and_gives_them_back(arena, two_nodes):
    run(arena, gang("in-the-way", size=SLOTS, cpu="50m"), SLOTS)
    run(arena, gang("adds", size=(2, 2 * SLOTS), cpu="50m", elastic=RESTART), SLOTS)

    arena.delete_gang("in-the-way")
    until_size(arena, "adds", 2 * SLOTS)
    assert arena.nodes_of("adds") == sorted(two_nodes * SLOTS)
    [event] = arena.until_events("adds", "GangChangesSize")
    assert event["note"].startswith("Grows from 3 to 6 members: nodes are idle and no gang waits for them")

    arena.submit(gang("waits", size=2, cpu="50m"))
    arena.until_placed("waits")
    until_size(arena, "adds", 2 * SLOTS - 2)
    status = arena.status("adds")
    assert (status["firstSize"], "expectedFinish" in status, "next" in status) == (SLOTS, False, False)
    assert status.get("restarts", 0) == 0

    arena.delete_gang("waits")
    until_size(arena, "adds", 2 * SLOTS)


def test_members_have_notice_and_one_that_is_ready_begins_the_change(arena, two_nodes):
    run(arena, gang("in-the-way", size=SLOTS, cpu="50m"), SLOTS)
    run(arena, elastic(pod=READS), SLOTS)

    arena.delete_gang("in-the-way")
    notice = eventually(lambda: the_notice(arena), seconds=60)
    following = arena.status("adds")["next"]
    assert notice == f"{2 * SLOTS} {following['beginsAt']}"
    arena.patch_pod("adds-1-0", annotations={READY: notice})
    until_size(arena, "adds", 2 * SLOTS)

    [event] = arena.until_events("adds", "GangWillChangeSize")
    assert event["note"].startswith(
        f"Will grow from 3 to 6 members at {following['beginsAt']}, or as soon as it reports"
    )
    assert sorted(arena.nodes_of("adds")) == sorted(two_nodes * SLOTS)
    assert arena.status("adds").get("restarts", 0) == 0


def the_notice(arena):
    """The notice that all members of the gang have; None if they have none, or several."""
    found = notices(arena)
    return found.pop() if len(found) == 1 else None


def notices(arena):
    """The notices that members of the gang have; None is that of members without one."""
    return {(pod["metadata"].get("annotations") or {}).get(NOTICE) for pod in arena.pods("adds")}


@pytest.mark.usefixtures("two_nodes")
def test_gang_shrinks_for_a_short_one_and_grows_again(arena):
    run(arena, elastic(), 2 * SLOTS)

    arena.submit(gang("short", size=1, cpu="50m", work={"serialTime": "20s"}))
    arena.until_placed("short")
    assert arena.status("adds").get("size", 0) < 2 * SLOTS

    arena.delete_gang("short")
    until_size(arena, "adds", 2 * SLOTS)


@pytest.mark.usefixtures("two_nodes")
def test_status_names_the_gang_that_shrinks_and_without_the_waiting_gang_that_one_keeps_its_size(arena):
    run(arena, elastic(pod=READS), 2 * SLOTS)

    arena.submit(gang("short", size=1, cpu="50m", work={"serialTime": "20s"}))
    eventually(lambda: the_notice(arena), seconds=60)
    [event] = arena.until_events("short", "GangStartsLater")
    assert event["note"].endswith(f"It waits until gang {arena.namespace}/adds has given up its places there.")
    assert arena.condition("short", "Planned")["reason"] == "StartsLater"

    arena.delete_gang("short")
    [event] = arena.until_events("adds", "SizeChangeDropped")
    eventually(lambda: notices(arena) == {None}, seconds=60)
    assert event["note"].endswith("needs the places that it would give up. The gang keeps its size.")
    assert arena.status("adds")["size"] == 2 * SLOTS


def test_quota_bounds_growth(arena, two_nodes):
    run(arena, gang("in-the-way", size=SLOTS, cpu="50m"), SLOTS)
    run(arena, elastic(), SLOTS)
    arena.create(foreign_pod("beside", two_nodes[0], cpu="50m"))
    arena.create(quota("small", pods=str(2 * SLOTS)))
    path = f"{arena.core}/resourcequotas/small"
    eventually(lambda: arena.api.request("GET", path).get("status", {}).get("used", {}).get("pods") == "7", seconds=60)

    arena.delete_gang("in-the-way")
    until_size(arena, "adds", 2 * SLOTS - 1)

    assert "QuotaExceeded" not in {event["reason"] for event in arena.events("adds")}


def test_members_join_and_leave_while_the_first_ones_run(arena, two_nodes):
    run(arena, gang("in-the-way", size=SLOTS, cpu="50m"), SLOTS)
    run(arena, {**elastic(), "spec": {**elastic()["spec"], "elastic": MEMBERS}}, SLOTS)
    first = uids(arena)

    arena.delete_gang("in-the-way")
    until_size(arena, "adds", 2 * SLOTS)
    assert arena.nodes_of("adds") == sorted(two_nodes * SLOTS)
    [event] = arena.until_events("adds", "MembersJoined")
    assert event["note"] == "All new members run: the gang has 6 members now."
    eventually(lambda: hosts(arena) == [f"adds-1-{rank}.adds" for rank in range(2 * SLOTS)], seconds=60)

    # One member is lost: the others run on, and another one has its rank once the gang may change its size again.
    arena.change_gang("adds", elastic={**MEMBERS, "minInterval": "1h"})
    arena.delete_pod("adds-1-4")
    eventually(lambda: arena.status("adds").get("ranks") == "0-3,5", seconds=60)
    arena.change_gang("adds", elastic=MEMBERS)
    until_size(arena, "adds", 2 * SLOTS)

    arena.change_gang("adds", elastic={**MEMBERS, "size": SLOTS})
    eventually(lambda: uids(arena) == first, seconds=90)
    status = arena.status("adds")
    assert (status["size"], status["attempt"], status.get("restarts", 0)) == (SLOTS, 1, 0)
    eventually(lambda: len(hosts(arena)) == SLOTS, seconds=60)


def uids(arena):
    """The UIDs of the members that exist."""
    return {pod["metadata"]["uid"] for pod in arena.pods("adds")}


def hosts(arena):
    """The hosts in the file of the members."""
    return arena.api.request("GET", f"{arena.core}/configmaps/adds-hosts")["data"]["hosts"].split()


def test_launcher_decides_on_the_success_of_a_gang_that_goes_on_without_a_lost_worker(arena, two_nodes):
    terms = {"mode": "Members", "restartTime": "1s", "minInterval": "1h"}
    workers = gang("adds", size=(1, 2 * SLOTS - 1), cpu="50m", work=LONG, elastic=terms)
    launched = with_launcher(workers)
    run(arena, {**launched, "spec": {**launched["spec"], "successPolicy": {"role": "launcher"}}}, 2 * SLOTS)

    arena.delete_pod("adds-1-2")
    eventually(lambda: arena.status("adds")["size"] == 2 * SLOTS - 1, seconds=90)
    assert (arena.status("adds")["attempt"], arena.status("adds")["ranks"]) == (1, "0-1,3-5")

    arena.patch_pod_status("adds-1-0", {"phase": "Succeeded"})
    arena.until_complete("adds")


@pytest.mark.parametrize("mode", ["Restart", "Members"])
def test_gang_shrinks_for_a_more_urgent_one_and_is_not_evicted(arena, two_nodes, mode):
    urgent = f"urgent-for-{mode.lower()}"
    arena.create(priority_class(urgent, 1000, policy="PreemptLowerPriority"))
    terms = {**RESTART, "mode": mode}
    run(arena, gang("gives", size=(2, 2 * SLOTS), cpu="50m", work=LONG, elastic=terms), 2 * SLOTS)
    # An eviction has to lose more than a restart takes.
    eventually(lambda: time.time() > epoch_seconds(arena.status("gives")["startedAt"]) + 3)

    run(arena, gang("hot", size=SLOTS, cpu="50m", priorityClassName=urgent), SLOTS)
    until_size(arena, "gives", SLOTS)

    [event] = arena.until_events("gives", "GangChangesSize")
    says = f"Shrinks from 6 to 3 members for urgent gang {arena.namespace}/hot, of priority 1000: it ends "
    assert event["note"].startswith(says)
    preempted = arena.condition("gives", "Preempted")
    assert (preempted["status"], preempted["reason"]) == ("False", "ShrunkForGang")
    assert preempted["message"].startswith(says)
    [event] = arena.until_events("hot", "PreemptedForGang")
    assert "gives shrinks from 6 to 3 members for this gang" in event["note"]
    assert arena.status("gives")["attempt"] == (2 if mode == "Restart" else 1)
