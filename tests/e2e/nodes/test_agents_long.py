"""What an agent on a real kubelet knows only after two minutes: that a load shows its owner."""

import time
from contextlib import ExitStack

from e2e.nodes.agents import BURN, running
from e2e.nodes.conftest import FAST, SLOW
from e2e.nodes.jobs import job, size, template


def test_owner_whose_work_shows_her_has_the_node_to_herself(agents, jobs, nodes, measured):
    with ExitStack() as leaving:
        # Her work ends after her bid is changed.
        works = leaving.enter_context(ExitStack())
        leaving.enter_context(agents.with_a_faster_node_of_an_owner(SLOW, than=FAST))
        jobs.submit_job(job("guest", size=size(1), work={"serialTime": "600s"}, template=template("stay")))
        jobs.until_on("guest", SLOW)
        agents.until_owner(SLOW, present=False)

        began = time.time()
        works.enter_context(running(nodes[SLOW], BURN, BURN))

        agents.until_owner(SLOW, present=True)
        jobs.until_on("guest", FAST)
        measured({"from the owner's first work to the gang elsewhere": time.time() - began})
    assert (jobs.status("guest")["attempt"], jobs.status("guest").get("restarts", 0)) == (2, 0)
