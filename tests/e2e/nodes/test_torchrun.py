"""PyTorch itself. Its image is a gigabyte, so it is asked for: `make e2e-nodes TORCH=1`."""

from e2e.members.image import TORCH_NAME
from e2e.nodes.jobs import job, number_after, size, template

MEMBERS = 4
# Debian's PyTorch is older than its Python, whose enumerations of flags leave out zero, and zero is the default.
SHOWN = [{"name": name, "value": "1"} for name in ("PET_REDIRECTS", "PET_TEE")]


def test_torchrun_meets_the_others_without_an_option(jobs, measured):
    program = template("torchrun", "/usr/local/bin/all-reduce", image=TORCH_NAME, env=SHOWN)
    jobs.submit_job(job("torch", size=size(MEMBERS), network={"rendezvous": "Torch"}, template=program))

    jobs.until("torch", "Complete", "True", "Succeeded")

    sums = [number_after("sum", text) for text in jobs.logs("torch").values()]
    assert sums == [sum(range(1, MEMBERS + 1))] * MEMBERS
    measured(jobs.start_of("torch", MEMBERS))
