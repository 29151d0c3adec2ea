"""PyTorch itself. Its image is a gigabyte, so it is asked for: `make e2e-nodes TORCH=1`."""

from e2e.members.image import TORCH_NAME
from e2e.nodes.jobs import Jobs, job, number_after, size, template

MEMBERS = 4
# Debian's PyTorch is older than its Python, whose enumerations of flags leave out zero, and zero is the default.
SHOWN = [{"name": name, "value": "1"} for name in ("PET_REDIRECTS", "PET_TEE")]
# Minutes of steps, unless the workers are asked to hurry; each adds up 12 squares.
STEPS = 6000
NUMBERS = 12 * STEPS
ELASTIC = {"mode": "Members", "restartTime": "5s", "minInterval": "1s"}


def test_torchrun_meets_the_others_without_an_option(jobs, measured):
    program = template("torchrun", "/usr/local/bin/all-reduce", image=TORCH_NAME, env=SHOWN)
    jobs.submit_job(job("torch", size=size(MEMBERS), network={"rendezvous": "Torch"}, template=program))

    jobs.until("torch", "Complete", "True", "Succeeded")

    sums = [number_after("sum", text) for text in jobs.logs("torch").values()]
    assert sums == [sum(range(1, MEMBERS + 1))] * MEMBERS
    measured(jobs.start_of("torch", MEMBERS))


def test_agents_that_come_and_go_meet_again_and_add_up_as_one_process_does(cluster, jobs, tmp_path):
    folder = tmp_path / "done"
    folder.mkdir()
    jobs.submit_job(agents(folder))
    cluster.until(lambda: works_with(jobs, 1))

    for members in (3, 2):
        jobs.patch("agents", {"elastic": {**ELASTIC, "size": members}})
        cluster.until(lambda members=members: works_with(jobs, members))

    assert (jobs.status("agents")["attempt"], jobs.status("agents").get("restarts", 0)) == (1, 0)
    (folder / "hurry").touch()
    jobs.until("agents", "Complete", "True", "Succeeded")
    assert number_after("sum", jobs.log("agents-1-0")) == sum(number * number for number in range(NUMBERS))


def agents(folder):
    """Return a gang of agents that may come and go; their workers share that folder."""
    command = ("torchrun", "/usr/local/bin/all-reduce-on", "/done", str(STEPS))
    mounts = [{"name": "done", "mountPath": "/done"}]
    # torchrun keeps what it shows of its workers in a buffer of its own.
    more = {"PET_MAX_RESTARTS": "100", "PYTHONUNBUFFERED": "1"}
    env = [*SHOWN, *({"name": name, "value": value} for name, value in more.items())]
    program = template(*command, image=TORCH_NAME, env=env, grace_seconds=5, volumeMounts=mounts)
    program["spec"]["volumes"] = [{"name": "done", "hostPath": {"path": str(folder)}}]
    spec = {"work": {"serialTime": "100h"}, "network": {"rendezvous": "Torch"}, "elastic": {**ELASTIC, "size": 1}}
    return job("agents", size={"min": 1, "max": 3}, template=program, **spec)


def works_with(jobs: Jobs, members: int) -> bool:
    """Return whether the last workers of the first agent were so many."""
    begun = [line for line in jobs.log("agents-1-0").splitlines() if "goes on at step" in line]
    return bool(begun) and begun[-1].endswith(f"with {members} members")
