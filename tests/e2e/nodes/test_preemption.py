"""A gang gives way to a more urgent one, whole and with the time it needs to end."""

import pytest

from e2e.nodes.conftest import SLOTS, SPEEDS
from e2e.nodes.jobs import job, size, template

EVERYWHERE = SLOTS * len(SPEEDS)
ENDS_AFTER, GRACE = "2", 5


@pytest.fixture
def priorities(cluster):
    names = {"whenever": 10, "urgent": 1000}
    api = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass"}
    cluster.apply(*({**api, "metadata": {"name": name}, "value": value} for name, value in names.items()))
    yield
    cluster.delete("priorityclasses", *names)


@pytest.mark.usefixtures("priorities")
def test_gang_gives_way_to_a_more_urgent_one_and_comes_back(jobs, measured):
    patient = template("stay", ENDS_AFTER, grace_seconds=GRACE)
    jobs.submit_job(job("gives-way", size=size(EVERYWHERE), priorityClassName="whenever", template=patient))
    jobs.started_by_rank("gives-way", EVERYWHERE)

    jobs.submit_job(job("goes-first", size=size(4), priorityClassName="urgent", template=template("stay")))

    measured(jobs.start_of("goes-first", 4))
    assert jobs.condition("gives-way", "Preempted")["status"] == "True"
    assert "goes-first" in jobs.condition("gives-way", "Preempted")["message"]
    jobs.delete("goes-first")
    jobs.started_by_rank("gives-way", EVERYWHERE, attempt=2)
    jobs.until("gives-way", "Preempted", "False")
