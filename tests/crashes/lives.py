"""The lives of a gang, from its submission to its end, as a user who waits for each step would see them.

Each is driven from outside and says what must hold when it is over; what happens to the operator meanwhile is not its
business.
"""

from collections.abc import Callable, Mapping

from builders.manifests import failed_status, quota
from builders.notices import NOTICE, READS, READY
from crashes.stage import CPU_BESIDE_A_DEALER, MEMBERS, PATIENCE_SECONDS, RESTART, SIZE, Stage
from crashes.urgent_lives import give_way, shrink_by_members, shrink_by_restart
from crashes.wider_lives import find_each_other, keep_data
from eventually import eventually

FINALIZER = "example.com/keeps-it"


def finish(stage: Stage) -> None:
    """Submitted, placed, run to its end."""
    stage.submit(run_for="200ms")
    stage.until("Complete", reason="Succeeded")
    assert stage.arena.status(stage.name)["attempt"] == 1
    assert len(stage.seen.uids(stage.name)) == SIZE, "every pod once"


def fail(stage: Stage) -> None:
    """Submitted, placed; one member fails, the other is stopped; both stay until the owner needs them no more."""
    stage.submit()
    stage.until("Placed")
    stage.arena.patch_pod_status(f"{stage.name}-1-0", {"phase": "Failed"})
    stage.until("Failed", reason="MemberFailed")
    eventually(lambda: _phases(stage) == ["Failed"] * SIZE, seconds=PATIENCE_SECONDS)
    stage.arena.change_gang(stage.name, failurePolicy={"keepMembers": "0s"})
    eventually(lambda: not stage.arena.pods(stage.name), seconds=PATIENCE_SECONDS)
    assert len(stage.seen.uids(stage.name)) == SIZE, "every pod once"


def undo(stage: Stage) -> None:
    """Refused by a quota at its last member, undone, and placed when the quota is gone."""
    here = len(stage.arena.api.request("GET", f"{stage.arena.core}/pods")["items"])
    limit = f"limit-{stage.name}"
    path = f"{stage.arena.core}/resourcequotas/{limit}"
    try:
        stage.arena.create(quota(limit, pods=str(here + SIZE - 1)))
        eventually(lambda: "used" in stage.arena.api.request("GET", path)["status"], seconds=PATIENCE_SECONDS)
        stage.submit(run_for="200ms")
        stage.until("Placed", "False", "QuotaExceeded")
        assert stage.seen.bound_at_once(stage.name) == {0}, "no member was bound"
    finally:
        stage.arena.delete(path)
    stage.until("Complete", reason="Succeeded")


def delete_while_binding(stage: Stage) -> None:
    """Deleted when its first member was just bound."""
    stage.delete_once_bound()
    stage.submit()
    stage.until_deleting()
    stage.until_gone()


def delete_with_finalizer(stage: Stage) -> None:
    """Deleted when its first member was just bound, and kept by a foreign finalizer."""
    stage.delete_once_bound()
    stage.submit(finalizer=FINALIZER)
    stage.until_deleting()
    eventually(lambda: not stage.arena.pods(stage.name), seconds=PATIENCE_SECONDS)


def lose(stage: Stage) -> None:
    """Placed; a user deletes a member; placed anew, whole."""
    stage.submit()
    eventually(lambda: "startedAt" in stage.arena.status(stage.name), seconds=PATIENCE_SECONDS)
    first = stage.seen.uids(stage.name)
    stage.arena.delete_pod(f"{stage.name}-1-{SIZE - 1}")
    eventually(lambda: stage.arena.status(stage.name)["attempt"] > 1, seconds=PATIENCE_SECONDS)
    stage.until("Placed")
    pods = stage.arena.pods(stage.name)
    assert len(pods) == SIZE
    assert not first & {pod["metadata"]["uid"] for pod in pods}


def restart(stage: Stage) -> None:
    """Placed; a member fails; made anew after a pause, whole, and that is counted once; ends well."""
    stage.submit(failurePolicy={"maxRestarts": 5, "backoff": "1s"})
    eventually(lambda: "startedAt" in stage.arena.status(stage.name), seconds=PATIENCE_SECONDS)
    stage.arena.patch_pod_status(f"{stage.name}-1-0", failed_status(3))
    eventually(lambda: stage.arena.status(stage.name)["attempt"] > 1, seconds=PATIENCE_SECONDS)
    stage.until("Placed")
    assert stage.arena.status(stage.name)["restarts"] == 1
    assert len(stage.arena.pods(stage.name)) == SIZE


def suspend_and_resume(stage: Stage) -> None:
    """Placed; suspended, so that nothing is left; resumed, and placed again."""
    stage.submit()
    eventually(lambda: "startedAt" in stage.arena.status(stage.name), seconds=PATIENCE_SECONDS)
    stage.arena.change_gang(stage.name, suspend=True)
    stage.until("Suspended")
    assert not stage.arena.pods(stage.name)
    stage.arena.change_gang(stage.name, suspend=False)
    stage.until("Placed")
    assert len(stage.arena.pods(stage.name)) == SIZE


def change_size(stage: Stage) -> None:
    """Placed beside another gang; grows into its room when that has ended, whole at each size."""
    other = stage.submit_another("other", work={"serialTime": "1000h"})
    stage.arena.until(other, "Placed", seconds=PATIENCE_SECONDS)
    stage.submit(size=(SIZE, 2 * SIZE), work={"serialTime": "400h"}, elastic=RESTART)
    eventually(lambda: "startedAt" in stage.arena.status(stage.name), seconds=PATIENCE_SECONDS)
    assert stage.arena.status(stage.name)["size"] == SIZE
    stage.arena.delete_gang(other)
    eventually(lambda: stage.arena.status(stage.name).get("size") == 2 * SIZE, seconds=PATIENCE_SECONDS)
    stage.until("Placed")
    assert stage.arena.status(stage.name).get("restarts", 0) == 0
    assert len(stage.arena.pods(stage.name)) == 2 * SIZE


def change_number_of_workers(stage: Stage) -> None:
    """Placed beside another gang; its workers grow into the room of that one, and the launcher keeps its node."""
    other = stage.submit_another("other")
    stage.arena.until(other, "Placed", seconds=PATIENCE_SECONDS)
    stage.submit(size=(1, 2 * SIZE - 1), has_launcher=True, work={"serialTime": "400h"}, elastic=RESTART)
    eventually(lambda: "startedAt" in stage.arena.status(stage.name), seconds=PATIENCE_SECONDS)
    launcher, *_ = stage.arena.status(stage.name)["members"]
    assert (stage.arena.status(stage.name)["size"], launcher["role"]) == (SIZE, "launcher")
    stage.arena.delete_gang(other)
    eventually(lambda: stage.arena.status(stage.name).get("size") == 2 * SIZE, seconds=PATIENCE_SECONDS)
    stage.until("Placed")
    assert stage.arena.status(stage.name)["members"][0] == launcher
    assert len(stage.arena.pods(stage.name)) == 2 * SIZE


def come_and_go(stage: Stage) -> None:
    """Placed beside another gang; members join in the room of that one, and leave again; the first ones run on."""
    other = stage.submit_another("other", work={"serialTime": "1000h"})
    stage.arena.until(other, "Placed", seconds=PATIENCE_SECONDS)
    stage.submit(size=(SIZE, 2 * SIZE), work={"serialTime": "400h"}, elastic=MEMBERS)
    eventually(lambda: "startedAt" in stage.arena.status(stage.name), seconds=PATIENCE_SECONDS)
    first = _uids(stage)
    stage.arena.delete_gang(other)
    eventually(lambda: stage.arena.status(stage.name).get("size") == 2 * SIZE, seconds=PATIENCE_SECONDS)
    assert len(stage.arena.pods(stage.name)) == 2 * SIZE
    stage.arena.change_gang(stage.name, elastic={**MEMBERS, "size": SIZE})
    eventually(lambda: _uids(stage) == first, seconds=PATIENCE_SECONDS)
    status = stage.arena.status(stage.name)
    assert (status["attempt"], status["size"], "next" in status, status.get("restarts", 0)) == (1, SIZE, False, 0)


def come_and_go_beside_a_dealer(stage: Stage) -> None:
    """Placed with a dealer beside another gang; members join in the room of that one, and leave; the key stays."""
    other = stage.submit_another("other", work={"serialTime": "1000h"})
    stage.arena.until(other, "Placed", seconds=PATIENCE_SECONDS)
    dealt = {"load": "Pieces", "pieces": 100, "dealing": "WhileRunning"}
    stage.submit(size=(SIZE, 2 * SIZE), cpu=CPU_BESIDE_A_DEALER, work={"serialTime": "400h"}, elastic=MEMBERS, **dealt)
    eventually(lambda: "startedAt" in stage.arena.status(stage.name), seconds=PATIENCE_SECONDS)
    first, key = _uids(stage), _dealers_key(stage)
    stage.arena.delete_gang(other)
    eventually(lambda: stage.arena.status(stage.name).get("size") == 2 * SIZE, seconds=PATIENCE_SECONDS)
    assert len(stage.arena.pods(stage.name)) == 2 * SIZE
    stage.arena.change_gang(stage.name, elastic={**MEMBERS, "size": SIZE})
    eventually(lambda: _uids(stage) == first, seconds=PATIENCE_SECONDS)
    status = stage.arena.status(stage.name)
    assert (status["attempt"], status["size"], "next" in status, _dealers_key(stage)) == (1, SIZE, False, key)


def _dealers_key(stage: Stage) -> Mapping[str, str]:
    path = f"{stage.arena.core}/configmaps/{stage.name}-pieces"
    found: Mapping[str, str] = stage.arena.api.request("GET", path)["data"]
    return found


def _uids(stage: Stage) -> set[str]:
    return {pod["metadata"]["uid"] for pod in stage.arena.pods(stage.name)}


def change_size_when_ready(stage: Stage) -> None:
    """Placed beside another gang; grows into its room once its first member says that it is ready for that."""
    other = stage.submit_another("other", work={"serialTime": "1000h"})
    stage.arena.until(other, "Placed", seconds=PATIENCE_SECONDS)
    stage.submit(size=(SIZE, 2 * SIZE), work={"serialTime": "400h"}, elastic=RESTART, pod=READS)
    eventually(lambda: "startedAt" in stage.arena.status(stage.name), seconds=PATIENCE_SECONDS)
    stage.arena.delete_gang(other)
    eventually(lambda: _has_notice(stage, SIZE), seconds=PATIENCE_SECONDS)
    eventually(lambda: _is_ready(stage), seconds=PATIENCE_SECONDS)
    eventually(lambda: stage.arena.status(stage.name).get("size") == 2 * SIZE, seconds=PATIENCE_SECONDS)
    stage.until("Placed")
    assert _has_notice(stage, 0), "the next attempt has no notice"
    assert stage.arena.status(stage.name)["attempt"] == 2
    assert stage.arena.status(stage.name).get("restarts", 0) == 0
    assert len(stage.arena.pods(stage.name)) == 2 * SIZE


def _has_notice(stage: Stage, members: int) -> bool:
    """Whether so many members have notice of a change of size."""
    pods = stage.arena.pods(stage.name)
    return sum(NOTICE in (pod["metadata"].get("annotations") or {}) for pod in pods) == members


def _is_ready(stage: Stage) -> bool:
    """Say that the first member is ready for the change of its notice; whether it has one."""
    first = next(pod["metadata"] for pod in stage.arena.pods(stage.name) if pod["metadata"]["name"].endswith("-0"))
    notice = (first.get("annotations") or {}).get(NOTICE)
    if notice is not None:
        stage.arena.patch_pod(first["name"], annotations={READY: notice})
    return notice is not None


def expire(stage: Stage) -> None:
    """Submitted, run to its end, and deleted at once."""
    stage.submit(run_for="200ms", ttlSecondsAfterFinished=0)
    stage.until_gone()
    assert len(stage.seen.uids(stage.name)) == SIZE, "every pod once"


def finish_again(stage: Stage) -> None:
    """Submitted, placed, run to its end; and once more where a user has turned time back meanwhile."""
    stage.submit(run_for="200ms")
    stage.until("Complete", reason="Succeeded")
    stage.until_calm()
    stage.until("Complete", reason="Succeeded")
    phases = _phases(stage)
    assert phases == ["Succeeded"] * SIZE, f"complete, and its members are {phases}"


def _phases(stage: Stage) -> list[str]:
    return [pod["status"]["phase"] for pod in stage.arena.pods(stage.name)]


def _by_name(*lives: Callable[[Stage], None]) -> Mapping[str, Callable[[Stage], None]]:
    return {life.__name__.replace("_", " "): life for life in lives}


LIVES = _by_name(
    finish,
    fail,
    undo,
    delete_while_binding,
    delete_with_finalizer,
    lose,
    restart,
    suspend_and_resume,
    change_size,
    change_number_of_workers,
    change_size_when_ready,
    come_and_go,
    come_and_go_beside_a_dealer,
    expire,
    find_each_other,
    keep_data,
)
# About 70 requests, two gangs at each: minutes, so that ``make crashes`` alone goes through all of them.
LONG_LIVES = _by_name(give_way, shrink_by_restart, shrink_by_members)
