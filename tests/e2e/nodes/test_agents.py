"""The chart's agents on real kubelets: what they measure, what follows from it, and what ends them."""

import time
from collections.abc import Iterator

import pytest

from e2e.cluster import Cluster, Manifest
from e2e.nodes.agents import BURN, Login, running
from e2e.nodes.conftest import FAST, SLOW
from e2e.nodes.jobs import Jobs, job, resources_in_force, size, template

WORK = {"serialTime": "600s"}
WHOLE = {"requests": {"cpu": "500m"}, "limits": {"cpu": "1"}}
APART = {"labelSelector": {"matchLabels": {"lockstep.dev/gang": "beside"}}, "topologyKey": "kubernetes.io/hostname"}


@pytest.fixture
def load(cluster: Cluster) -> Iterator[Manifest]:
    """A pod outside of Lockstep that burns most of what the fast node has, and has requested hardly any of it."""
    resources = {"requests": {"cpu": "10m"}, "limits": {"cpu": "1200m"}}
    made = template("sh", "-c", f"{BURN} & {BURN}", resources=resources)
    metadata = {"name": "load", "namespace": "default"}
    yield {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {**made["spec"], "nodeName": FAST}}
    cluster.delete("pod", "load")


def until_limits(cluster: Cluster, jobs: Jobs, *, paced: str, whole: str) -> None:
    """Wait until the kubelets say that the member on one node has a smaller limit, and the other one its own."""

    def probe() -> bool:
        limits = {pod["spec"]["nodeName"]: _limit(pod) for pod in jobs.pods("beside")}
        assert limits[paced] < limits[whole] == 1000, limits
        return True

    cluster.until(probe)


def _limit(pod: Manifest) -> int:
    quantity = str(resources_in_force(pod)["limits"]["cpu"])
    return int(quantity.removesuffix("m")) if quantity.endswith("m") else 1000 * int(quantity)


def test_bid_follows_a_load_beside_a_gang_and_so_do_its_pace_and_the_next_gang(cluster, agents, jobs, load, measured):
    members = template("stay", resources=WHOLE)
    members["spec"]["affinity"] = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [APART]}}
    jobs.submit_job(job("beside", size=size(2), pace="Local", template=members))
    jobs.submit_job(job("before", size=size(1), work=WORK, template=template("stay")))
    jobs.until_on("before", FAST)
    until_limits(cluster, jobs, paced=FAST, whole=SLOW)
    # Its means begin anew: they would follow a load the more slowly, the longer it has measured.
    agents.kill(FAST)

    began = time.time()
    cluster.apply(load)

    agents.until_duty_cycle(FAST, above=0.3)
    measured({"from the load to a bid with a duty cycle of 0.3": time.time() - began})
    assert agents.duty_cycle(SLOW) < agents.duty_cycle(FAST)
    agents.until_faster(SLOW, than=FAST)
    jobs.submit_job(job("after", size=size(1), work=WORK, template=template("stay")))
    jobs.until_on("after", SLOW)
    until_limits(cluster, jobs, paced=SLOW, whole=FAST)
    measured({"from the load to limits that follow": time.time() - began})


def test_bid_follows_a_load_outside_of_pods(agents, nodes):
    agents.kill(SLOW)
    with running(nodes[SLOW], BURN, BURN):
        agents.until_duty_cycle(SLOW, above=0.2)


def test_agent_that_was_killed_is_back_without_its_damaged_history(cluster, agents):
    agents.damage_history(FAST)

    agents.kill(FAST)

    cluster.until(lambda: "The history begins anew" in agents.log(FAST))
    agents.until_state(FAST, "Offered")


def test_bids_of_an_agent_that_is_cut_off_and_of_an_owner_who_says_no_expire_until_that_is_over(agents):
    """The agent that is cut off goes on measuring."""
    with agents.cut_off(SLOW), agents.switched_off(FAST):
        agents.until_state(SLOW, "Expired")
        agents.until_state(FAST, "Expired")

    agents.until_state(SLOW, "Offered")
    agents.until_state(FAST, "Offered")


def test_owner_who_logs_in_has_the_node_to_herself(agents, jobs, nodes, measured):
    with Login(nodes[SLOW]) as login, agents.with_a_faster_node_of_an_owner(SLOW, than=FAST):
        jobs.submit_job(job("guest", size=size(1), work=WORK, template=template("stay")))
        jobs.until_on("guest", SLOW)
        agents.until_owner(SLOW, present=False)

        began = time.time()
        login.begin()

        agents.until_owner(SLOW, present=True)
        jobs.until_on("guest", FAST)
        measured({"from the owner's login to the gang elsewhere": time.time() - began})
    assert (jobs.status("guest")["attempt"], jobs.status("guest").get("restarts", 0)) == (2, 0)
