"""Volumes that a real provisioner makes where the members are."""

import pytest

from e2e.nodes.conftest import SPEEDS
from e2e.nodes.jobs import job, size, template
from e2e.nodes.local_path import claim_template, local_path

MEMBERS = 4


@pytest.fixture
def provisioner(cluster, tmp_path):
    with local_path(cluster, SPEEDS, tmp_path / "volumes"):
        yield


@pytest.mark.usefixtures("provisioner")
def test_member_finds_in_its_volume_what_it_has_left_before(jobs, measured):
    program = template("leave", volumeMounts=[{"name": "data", "mountPath": "/data"}])
    spec = {"size": size(MEMBERS), "volumeClaimTemplates": [claim_template("data")], "template": program}
    jobs.submit_job(job("leaves", **spec))
    measured(jobs.start_of("leaves", MEMBERS))

    jobs.patch("leaves", {"suspend": True})
    jobs.until_gone("leaves")
    jobs.patch("leaves", {"suspend": False})

    jobs.started_by_rank("leaves", MEMBERS, attempt=2)
    found = [text.splitlines()[0] for text in jobs.logs("leaves").values()]
    assert found == [f"left leaves-1-{rank}" for rank in range(MEMBERS)]
