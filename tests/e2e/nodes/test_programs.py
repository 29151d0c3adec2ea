"""Programs that find each other, as users have them: nothing in them knows of gangs."""

from e2e.nodes.conftest import FAST, SLOW
from e2e.nodes.jobs import AS_ROOT, job, number_after, role, size, template
from e2e.nodes.ssh_keys import ssh_keys, with_ssh_keys

MEMBERS = 4
SUM_OF_RANKS = sum(range(1, MEMBERS + 1))
# Of one role that needs longer than all others.
PREPARES = {"name": "prepares", "command": ["sh", "-c", "sleep 3; date +'prepared %s.%N'"]}


def test_ring_meets_at_its_first_rank_and_sums(jobs, measured):
    jobs.submit_job(job("ring", size=size(MEMBERS), network={"rendezvous": "Torch"}, template=template("ring")))

    jobs.until("ring", "Complete", "True", "Succeeded")

    logs = jobs.logs("ring")
    assert [number_after("sum", text) for text in logs.values()] == [SUM_OF_RANKS] * MEMBERS
    assert set(jobs.nodes("ring")) == {FAST, SLOW}
    measured(jobs.start_of("ring", MEMBERS))


def test_mpirun_of_a_launcher_starts_processes_on_all_workers(jobs, measured):
    jobs.add(ssh_keys())
    launcher = with_ssh_keys(template("mpirun", "/usr/local/bin/sum-of-ranks", env=AS_ROOT))
    worker = with_ssh_keys(template("ssh-worker"))
    roles = [
        role("launcher", 1, launcher, load="None", startAfter=["workers"]),
        role("workers", MEMBERS, worker),
    ]
    jobs.submit_job(job("sum", roles=roles, network={"rendezvous": "MPI"}, successPolicy={"role": "launcher"}))
    workers = jobs.start_of("sum", MEMBERS)

    jobs.until("sum", "Complete", "True", "Succeeded")

    written = jobs.log("sum-1-0")
    assert f"sum {SUM_OF_RANKS} of {MEMBERS}" in written
    assert {line.split()[-1] for line in written.splitlines() if line.startswith("started")} == {
        f"sum-1-{rank}" for rank in range(1, MEMBERS + 1)
    }
    measured({f"workers' {name}": seconds for name, seconds in workers.items()})


def test_launcher_starts_after_the_last_worker(jobs):
    slow = template("stay", first=[PREPARES])
    roles = [role("launcher", 1, template("stay"), load="None", startAfter=["workers"]), role("workers", 2, slow)]
    jobs.submit_job(job("after", roles=roles))

    launcher, *workers = jobs.started_by_rank("after", 3)

    assert launcher > max(workers)


def test_members_wait_at_the_barrier_for_the_one_that_needs_longest(jobs, measured):
    roles = [role("quick", 3, template("stay")), role("slow", 1, template("stay", first=[PREPARES]))]
    jobs.submit_job(job("barrier", roles=roles, network={"startBarrier": {"timeout": "2m"}}))

    started = jobs.started_by_rank("barrier", MEMBERS)

    prepared = number_after("prepared", jobs.log("barrier-1-3", container="prepares"))
    assert min(started) > prepared
    measured(jobs.start_of("barrier", MEMBERS))
