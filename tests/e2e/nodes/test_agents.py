"""The chart's agents on real kubelets: what they measure, what follows from it, and what ends them."""

import time
from collections.abc import Iterator

import pytest

from e2e.cluster import Cluster, Manifest
from e2e.gangs import NAMESPACE, bids
from e2e.nodes.agents import VALUES, Agents
from e2e.nodes.conftest import FAST, SLOTS, SLOW, SPEEDS
from e2e.nodes.jobs import Jobs, job, resources_in_force, size, template

# On the fast node a member needs four fifths of what one on the slow node needs, until a load makes that the faster.
CAPACITIES = {FAST: "1.25", SLOW: "1"}
WORK = {"serialTime": "600s"}
WHOLE = {"requests": {"cpu": "500m"}, "limits": {"cpu": "1"}}
APART = {"labelSelector": {"matchLabels": {"lockstep.dev/gang": "beside"}}, "topologyKey": "kubernetes.io/hostname"}
BURN = "while :; do :; done"


@pytest.fixture(scope="module")
def agents(cluster: Cluster, nodes, release, offers) -> Iterator[Agents]:
    """Agents on both nodes for gangs, which bid beside what people have set there: capacities and slots."""
    del offers
    cluster.delete("nodebids", "--all")
    cluster.apply(*bids(CAPACITIES.items(), slots=SLOTS))
    release.upgrade_beside_the_operator(*VALUES)
    agents = Agents(cluster, nodes)
    for node in CAPACITIES:
        agents.until_quiet(node)
    yield agents
    release.upgrade_beside_the_operator()
    cluster.delete("nodebids", "--all")
    cluster.apply(*bids(SPEEDS.items(), slots=SLOTS))


@pytest.fixture
def load(cluster: Cluster) -> Iterator[Manifest]:
    """A pod outside of Lockstep that burns what the fast node has, and has requested hardly any of it."""
    made = template("sh", "-c", f"{BURN} & {BURN}", resources={"requests": {"cpu": "10m"}})
    metadata = {"name": "load", "namespace": "default"}
    yield {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": {**made["spec"], "nodeName": FAST}}
    cluster.delete("pod", "load")


@pytest.fixture
def owner(cluster: Cluster, nodes) -> Iterator[None]:
    """The slow node's owner comes, and runs something on both processors that is no pod."""
    processes = [nodes[SLOW].start_process("sh", "-c", BURN) for _ in range(2)]
    yield
    # A node whose owner evicts stays closed for ten minutes after she has left: other tests need it.
    cluster.patch("nodebid", SLOW, {"spec": {"onReturn": "Keep"}}, namespace=NAMESPACE)
    for process in processes:
        process.kill()
        process.wait()


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

    began = time.time()
    cluster.apply(load)

    agents.until_duty_cycle(FAST, above=0.45)
    measured({"from the load to a bid with a duty cycle of 0.45": time.time() - began})
    assert agents.duty_cycle(SLOW) < agents.duty_cycle(FAST)
    agents.until_faster(SLOW, than=FAST)
    jobs.submit_job(job("after", size=size(1), work=WORK, template=template("stay")))
    jobs.until_on("after", SLOW)
    until_limits(cluster, jobs, paced=SLOW, whole=FAST)
    measured({"from the load to limits that follow": time.time() - began})


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


def test_owner_who_comes_back_has_the_node_to_herself(cluster, agents, jobs, request, measured):
    """Load shows an owner to an agent that has measured for two minutes, as hers has since the tests began.

    For once her node is the faster one.
    """
    bid = {"onReturn": "Evict", "gracePeriodSeconds": 1, "capacity": "5"}
    cluster.patch("nodebid", SLOW, {"spec": bid}, namespace=NAMESPACE)
    # The operator hears of the bid and of the gang by watches of their own, in any order.
    agents.until_faster(SLOW, than=FAST)
    jobs.submit_job(job("guest", size=size(1), work=WORK, template=template("stay")))
    jobs.until_on("guest", SLOW)
    agents.until_owner(SLOW, present=False)

    began = time.time()
    request.getfixturevalue("owner")

    agents.until_owner(SLOW, present=True)
    jobs.until_on("guest", FAST)
    measured({"from the owner's first work to the gang elsewhere": time.time() - began})
    assert jobs.status("guest")["attempt"] == 2
    assert jobs.status("guest").get("restarts", 0) == 0
