"""What real containers do, and what the policies of a gang answer: killed, suspended, resumed."""

import time

import pytest

from e2e.nodes.jobs import job, size, template

MEMBERS = 4
# The first process of a container cannot be killed from inside, so the program is its child.
STAYS = ("sh", "-c", "stay; exit $?")
KILLED = 128 + 9
ROUNDS = 8
LAST_WORDS = "I got a signal"
SPEAKS = f"trap 'echo {LAST_WORDS}; exit 1' TERM; stay & wait $!; exit $?"


def answer(action):
    rule = {"action": action, "onExitCodes": {"operator": "In", "values": [KILLED]}}
    return {"maxRestarts": 1, "backoff": "1s", "rules": [rule]}


def test_ring_of_which_one_is_killed_starts_again_and_sums(jobs, measured):
    program = template("sh", "-c", f"ring {ROUNDS}; exit $?")
    policy = {"maxRestarts": 1, "backoff": "1s"}
    network = {"rendezvous": "Torch"}
    jobs.submit_job(job("killed", size=size(MEMBERS), network=network, failurePolicy=policy, template=program))
    jobs.until_written("killed", "sum")

    killed = time.time()
    jobs.kill("killed-1-2", f"ring {ROUNDS}")

    times = jobs.started_by_rank("killed", MEMBERS, attempt=2)
    jobs.until("killed", "Complete", "True", "Succeeded")
    assert jobs.status("killed")["restarts"] == 1
    measured({"from the kill to the last member's first instruction": max(times) - killed})


@pytest.mark.parametrize(
    ("action", "want_restarts"),
    [
        pytest.param("RestartGang", 1, id="a restart that counts"),
        pytest.param("Ignore", 0, id="a restart that does not count"),
    ],
)
@pytest.mark.search("rules for members that were killed on real nodes")
def test_rule_for_what_was_killed_has_the_gang_start_again(jobs, action, want_restarts):
    jobs.submit_job(job("again", size=size(2), failurePolicy=answer(action), template=template(*STAYS)))
    jobs.started_by_rank("again", 2, attempt=1)

    jobs.kill("again-1-1", "stay")

    jobs.started_by_rank("again", 2, attempt=2)
    assert jobs.status("again").get("restarts", 0) == want_restarts


@pytest.mark.search("rules for members that were killed on real nodes")
def test_rule_for_what_was_killed_has_the_gang_fail(jobs):
    jobs.submit_job(job("fails", size=size(2), failurePolicy=answer("FailGang"), template=template(*STAYS)))
    jobs.started_by_rank("fails", 2, attempt=1)

    jobs.kill("fails-1-1", "stay")

    jobs.until("fails", "Failed", "True", "MemberFailed")
    jobs.until_ended("fails")


def test_suspended_gang_leaves_gracefully_and_comes_back(jobs, measured):
    jobs.submit_job(job("pauses", size=size(MEMBERS), template=template("stay", "1", grace_seconds=5)))
    jobs.started_by_rank("pauses", MEMBERS, attempt=1)

    jobs.patch("pauses", {"suspend": True})
    jobs.until("pauses", "Suspended", "True")
    jobs.until_gone("pauses")

    resumed = time.time()
    jobs.patch("pauses", {"suspend": False})
    times = jobs.started_by_rank("pauses", MEMBERS, attempt=2)
    measured({"from resuming to the last member's first instruction": max(times) - resumed})
    assert jobs.condition("pauses", "Suspended")["status"] == "False"


def test_gang_that_fails_keeps_what_all_members_wrote_while_it_is_needed(jobs, measured):
    """Who ran on is stopped with the grace period, so that last words are there too, and the room is free."""
    speaks = template("sh", "-c", SPEAKS, grace_seconds=20)
    jobs.submit_job(job("kept", size=size(MEMBERS), failurePolicy={"keepMembers": "1h"}, template=speaks))
    jobs.started_by_rank("kept", MEMBERS)

    killed = time.time()
    jobs.kill("kept-1-1", "stay")
    jobs.until("kept", "Failed", "True", "MemberFailed")
    jobs.until_ended("kept")
    measured({"from the kill until no member runs": time.time() - killed})

    assert {pod["status"]["phase"] for pod in jobs.staying("kept")} == {"Failed"}
    logs = jobs.logs("kept")
    assert ["started" in text for text in logs.values()] == [True] * MEMBERS
    assert {pod for pod, text in logs.items() if LAST_WORDS in text} == set(logs) - {"kept-1-1"}
    printed_logs = jobs.printed_logs("kept")
    assert all(f"[{rank}] started" in printed_logs for rank in range(MEMBERS)), printed_logs
    assert printed_logs.count(LAST_WORDS) == MEMBERS - 1
    jobs.submit_job(job("next", size=size(MEMBERS), template=template("stay", grace_seconds=1)))
    jobs.started_by_rank("next", MEMBERS)
    assert len(jobs.staying("kept")) == MEMBERS

    jobs.patch("kept", {"failurePolicy": {"keepMembers": "1s"}})
    jobs.until_gone("kept")
