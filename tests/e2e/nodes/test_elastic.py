"""A program that saves its work changes its size on real kubelets, and its result is that of one process."""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from builders.notices import READS, READY
from e2e.cluster import Cluster, Manifest
from e2e.gangs import NODEBIDS, bids
from e2e.nodes.conftest import FAST, SLOTS, SLOW, SPEEDS
from e2e.nodes.jobs import AS_ROOT, Jobs, job, number_after, role, size, template
from e2e.nodes.ssh_keys import ssh_keys, with_ssh_keys
from lockstep.api.quantities import epoch_seconds

EVERYWHERE = SLOTS * len(SPEEDS)
# Minutes of work, unless the members are asked to hurry: no machine is too slow to change their number meanwhile.
BLOCKS = 6000
# Gangs change their size only while they are expected to run for long.
LONG = {"serialTime": "100h"}
ELASTIC = {"mode": "Restart", "restartTime": "5s", "minInterval": "10s"}
MEMBERS = {**ELASTIC, "mode": "Members"}
# The shell does not pass the signal on, and does not end.
IGNORES_SIGTERM = "trap '' TERM; ssh-worker & wait"
GRACE_SECONDS = 8
NOTICES = "/etc/podinfo"


@pytest.fixture
def folder(tmp_path) -> Path:
    """A folder that all nodes share."""
    done = tmp_path / "done"
    done.mkdir()
    return done


def blocks(folder: Path, name: str, program: str = "blocks", elastic: Mapping[str, str] = ELASTIC) -> dict[str, Any]:
    """Return a gang of two members at least that adds up squares and keeps them in that folder."""
    runs = in_folder(folder, program, "/done", str(BLOCKS), grace_seconds=20)
    return job(name, size={"min": 2, "max": EVERYWHERE}, work=LONG, elastic=elastic, template=runs)


def mpi_squares(folder: Path, name: str) -> dict[str, Any]:
    """Return a gang of a launcher, which adds up squares by ``mpirun``, and workers, which ignore SIGTERM."""
    command = ("mpirun", "/usr/local/bin/mpi-squares", "/done", str(BLOCKS))
    launcher = with_notices(with_ssh_keys(template(*command, grace_seconds=20, env=AS_ROOT)))
    deaf = in_folder(folder, "sh", "-c", IGNORES_SIGTERM, grace_seconds=GRACE_SECONDS)
    workers = with_notices(with_ssh_keys(deaf))
    roles = [
        role("launcher", 1, launcher, load="None", startAfter=["workers"]),
        {"name": "workers", "size": {"min": 2, "max": EVERYWHERE - 1}, "template": workers},
    ]
    ends = {
        "network": {"rendezvous": "MPI"},
        "successPolicy": {"role": "launcher"},
        "failurePolicy": {"maxRestarts": 0},
    }
    return job(name, roles=roles, work=LONG, elastic=ELASTIC, **ends)


def with_notices(made: Manifest) -> Manifest:
    """Return a template whose members have notices of changes of size as a file."""
    spec = made["spec"]
    [container] = spec["containers"]
    mounts = [*container.get("volumeMounts", ()), {"name": "podinfo", "mountPath": NOTICES}]
    volumes = [*spec.get("volumes", ()), *READS["volumes"]]
    return {**made, "spec": {**spec, "containers": [{**container, "volumeMounts": mounts}], "volumes": volumes}}


def in_folder(folder: Path, *command: str, **more: Any) -> Manifest:
    """Return the template of members that have that folder as ``/done``."""
    made = template(*command, volumeMounts=[{"name": "done", "mountPath": "/done"}], **more)
    made["spec"]["volumes"] = [{"name": "done", "hostPath": {"path": str(folder)}}]
    return made


def is_of_size(jobs: Jobs, name: str, members: int) -> bool:
    """Return whether so many members count."""
    return bool(jobs.status(name)["size"] == members)


def left_at_start(jobs: Jobs, name: str, attempt: int) -> float:
    """Return how many blocks were left when an attempt began."""
    return number_after("left", jobs.log(f"{name}-{attempt}-0"))


def the_notice(jobs: Jobs, name: str) -> str:
    """Return the notice that the containers of all members have; empty if they have none, or several."""
    found = notices_in_containers(jobs, name)
    return found.pop() if len(found) == 1 else ""


def notices_in_containers(jobs: Jobs, name: str) -> set[str]:
    """Return the notices that are in the containers of a gang; empty is that of a container without one."""
    members = (pod["metadata"]["name"] for pod in jobs.pods(name))
    return {jobs.run(member, "cat", f"{NOTICES}/resize") for member in members}


def bid_of_present_owner(**spec: Any) -> Manifest:
    """Return the bid of the slow node while its owner is at it."""
    [bid] = bids([(SLOW, "1")], slots=SLOTS)
    return {**bid, "spec": {**bid["spec"], "ownerPresent": True, **spec}}


def until_owner_interrupts_no_gang(cluster: Cluster) -> None:
    """Let the present owner interrupt no gang. Otherwise the node stays closed for ten minutes after the owner left."""
    cluster.until(lambda: is_back(cluster))
    cluster.apply(bid_of_present_owner())
    cluster.until(lambda: not is_back(cluster))


def is_back(cluster: Cluster) -> bool:
    """Return whether the operator has written that the owner is back. That can be the first status of the bid."""
    return "ownerBackSince" in cluster.read(f"{NODEBIDS}/{SLOW}").get("status", {})


def assert_sum(jobs: Jobs, name: str, folder: Path) -> None:
    """Let the gang end soon, and check that its blocks add up to what one process finds."""
    hurry = folder / "hurry"
    hurry.touch()
    jobs.until(name, "Complete", "True")
    hurry.unlink()
    found = {int(file.name): int(file.read_text()) for file in folder.iterdir() if file.is_file()}
    assert sum(found.values()) == sum(number * number for number in range(BLOCKS))
    assert found.keys() == set(range(BLOCKS))


@pytest.mark.usefixtures("equal_nodes")
@pytest.mark.search("changes of size on real nodes")
def test_gang_grows_into_room_that_becomes_free_and_loses_no_work(jobs, folder, measured):
    jobs.submit_job(job("in-the-way", size=size(SLOTS), template=template("stay")))
    jobs.started_by_rank("in-the-way", SLOTS)
    jobs.submit_job(blocks(folder, "adds"))
    jobs.started_by_rank("adds", SLOTS)

    free = time.time()
    jobs.delete("in-the-way")
    starts = jobs.started_by_rank("adds", EVERYWHERE, attempt=2)

    measured({"from a command that frees room to the first work of all members there": max(starts) - free})
    assert left_at_start(jobs, "adds", 2) < BLOCKS
    assert_sum(jobs, "adds", folder)
    assert jobs.status("adds").get("restarts", 0) == 0


@pytest.mark.usefixtures("equal_nodes")
def test_mpi_job_that_ignores_sigterm_has_notice_and_grows_and_goes_on_from_its_checkpoint(
    cluster, jobs, folder, measured
):
    """Its workers are killed when their grace period is over. Until then no other gang has their room."""
    jobs.add(ssh_keys())
    jobs.submit_job(job("in-the-way", size=size(SLOTS), template=template("stay")))
    jobs.started_by_rank("in-the-way", SLOTS)
    jobs.submit_job(mpi_squares(folder, "mpi"))
    cluster.until(lambda: number_after("left", jobs.log("mpi-1-0")) == BLOCKS)
    assert notices_in_containers(jobs, "mpi") == {""}

    free = time.time()
    jobs.delete("in-the-way")
    notice = cluster.until(lambda: the_notice(jobs, "mpi"))
    noticed, begins_at = time.time(), jobs.status("mpi")["next"]["beginsAt"]
    assert notice == f"{EVERYWHERE} {begins_at}"
    jobs.annotate("mpi-1-0", {READY: notice})
    killed_by = jobs.until_asked_to_end("mpi", "workers")
    jobs.submit_job(job("behind", size=size(1), template=template("stay")))
    assert killed_by - GRACE_SECONDS < epoch_seconds(begins_at), "rank 0 was ready"
    cluster.until(lambda: f"for {EVERYWHERE - 1} processes" in jobs.log("mpi-2-0"))

    assert not jobs.pods("behind")
    assert min(jobs.started_by_rank("mpi", EVERYWHERE - 1, attempt=2)) >= killed_by
    began = number_after("started", jobs.log("mpi-2-0"))
    measured(
        {
            "from a command that frees room to the notice in the containers of all members": noticed - free,
            "from the end of their grace period to the first step of mpirun with more processes": began - killed_by,
        }
    )
    assert left_at_start(jobs, "mpi", 2) < BLOCKS
    (folder / "hurry").touch()
    jobs.until("mpi", "Complete", "True", "Succeeded")
    assert number_after("sum", jobs.log("mpi-2-0")) == sum(number * number for number in range(BLOCKS))
    assert jobs.status("mpi").get("restarts", 0) == 0


@pytest.mark.usefixtures("equal_nodes")
@pytest.mark.search("changes of size on real nodes")
def test_gang_shrinks_for_a_short_one_and_grows_again(jobs, folder, measured):
    jobs.submit_job(blocks(folder, "gives"))
    jobs.started_by_rank("gives", EVERYWHERE)

    asked = time.time()
    jobs.submit_job(job("short", size=size(1), work={"serialTime": "20s"}, template=template("stay", "1")))
    [start] = jobs.started_by_rank("short", 1)

    measured({"from apply to the first work in room that another gang gives up": start - asked})
    jobs.started_by_rank("gives", EVERYWHERE - 1, attempt=2)
    jobs.delete("short")
    assert_sum(jobs, "gives", folder)


@pytest.mark.usefixtures("equal_nodes")
@pytest.mark.search("changes of size on real nodes")
def test_gang_goes_on_elsewhere_at_a_smaller_size_when_an_owner_comes_back(cluster, jobs, folder, measured):
    jobs.submit_job(blocks(folder, "leaves"))
    jobs.started_by_rank("leaves", EVERYWHERE)

    back = time.time()
    cluster.apply(bid_of_present_owner(onReturn="Evict", gracePeriodSeconds=1))
    starts = jobs.started_by_rank("leaves", SLOTS, attempt=2)

    measured({"from the owner's return to the first work elsewhere": max(starts) - back})
    assert set(jobs.nodes("leaves")) == {FAST}
    assert left_at_start(jobs, "leaves", 2) < BLOCKS
    until_owner_interrupts_no_gang(cluster)
    assert_sum(jobs, "leaves", folder)


@pytest.mark.usefixtures("equal_nodes")
@pytest.mark.search("changes of size on real nodes")
def test_members_join_and_only_those_leave_whose_owner_comes_back(cluster, jobs, folder, measured):
    stay = template("stay")
    stay["spec"]["nodeSelector"] = {"kubernetes.io/hostname": SLOW}
    jobs.submit_job(job("in-the-way", size=size(SLOTS), template=stay))
    jobs.started_by_rank("in-the-way", SLOTS)
    jobs.submit_job(blocks(folder, "flock", "dealt", MEMBERS))
    first = jobs.started_by_rank("flock", SLOTS)

    free = time.time()
    jobs.delete("in-the-way")
    starts = jobs.started_by_rank("flock", EVERYWHERE)
    assert starts[:SLOTS] == first, "those that ran were not stopped"
    assert number_after("others", jobs.log(f"flock-1-{EVERYWHERE - 1}")) == EVERYWHERE
    cluster.until(lambda: is_of_size(jobs, "flock", EVERYWHERE))

    back = time.time()
    cluster.apply(bid_of_present_owner(onReturn="Evict", gracePeriodSeconds=1))
    left = jobs.until_on("flock", FAST)

    measured(
        {
            "from a command that frees room to the first work of all members that join": max(starts) - free,
            "from the owner's return until only the others are to stay": time.time() - back,
        }
    )
    assert left == {f"flock-1-{rank}" for rank in range(SLOTS)}
    assert jobs.started_by_rank("flock", SLOTS) == first
    until_owner_interrupts_no_gang(cluster)
    assert_sum(jobs, "flock", folder)
    assert (jobs.status("flock")["attempt"], jobs.status("flock").get("restarts", 0)) == (1, 0)
