"""The chart's agents on real nodes, what is done to them, and what they measure."""

import json
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Self

from e2e.cluster import Cluster, Manifest
from e2e.gangs import NODEBIDS
from e2e.kubelet_node import KubeletNode
from e2e.node_space import HOME
from e2e.release import NAMESPACE

LIFETIME_SECONDS = 15
HISTORY = "lockstep-agent"
SESSIONS = "/run/systemd/sessions"
LABEL = "lockstep.dev/agent"
VALUES = (
    "agent.enabled=true",
    "agent.period=1s",
    f"agent.lifetime={LIFETIME_SECONDS}s",
    f"agent.historyDirectory={HOME / HISTORY}",
)
QUIET = 0.1
BURN = "while :; do :; done"
"""A program that uses a whole processor."""
# So soon has a bid to follow.
BID_SECONDS = 120.0
# Where only load shows an owner, an agent that has just begun measures it for two minutes first.
OWNER_SECONDS = 120.0 + BID_SECONDS
_PODS = f"/api/v1/namespaces/{NAMESPACE}/pods"
_AGENTS = f"{_PODS}?labelSelector=app.kubernetes.io/component%3Dagent"


class Agents:
    """The agents of a cluster, one a node, and their bids."""

    def __init__(self, cluster: Cluster, nodes: Mapping[str, KubeletNode]) -> None:
        self._cluster = cluster
        self._nodes = nodes

    def bid(self, node: str) -> Manifest:
        """Return a node's bid."""
        return self._cluster.read(f"{NODEBIDS}/{node}")

    def duty_cycle(self, node: str) -> float:
        """Return the duty cycle that a node's bid says; 0 while it says none."""
        return _number(self.bid(node)["spec"].get("dutyCycle", "0"))

    def until_owner(self, node: str, *, present: bool) -> None:
        """Wait until a node's bid says whether the owner is there."""

        def probe() -> bool:
            assert self.bid(node)["spec"].get("ownerPresent") is present, self.bid(node)
            return True

        self._cluster.until(probe, seconds=OWNER_SECONDS)

    def until_quiet(self, node: str) -> None:
        """Wait until the agent that is there has measured hardly any load: its own start causes some."""
        self._cluster.until(lambda: self._is_measured(node) and self.duty_cycle(node) < QUIET, seconds=BID_SECONDS)

    def until_duty_cycle(self, node: str, *, above: float) -> None:
        """Wait until a node's bid has a larger duty cycle."""

        def probe() -> bool:
            assert self.duty_cycle(node) > above, self.bid(node)
            return True

        self._cluster.until(probe, seconds=BID_SECONDS)

    def until_faster(self, node: str, than: str) -> None:
        """Wait until the operator counts on more of a node than of another one."""

        def probe() -> bool:
            first, second = self.bid(node), self.bid(than)
            slowdowns = [_number(bid["status"]["planned"]["slowdown"]) for bid in (first, second)]
            assert slowdowns[0] < slowdowns[1], f"{first}, {second}"
            return True

        self._cluster.until(probe)

    def until_state(self, node: str, state: str) -> None:
        """Wait until the operator says that of a node's bid."""

        def probe() -> bool:
            bid = self.bid(node)
            assert bid.get("status", {}).get("planned", {}).get("state") == state, f"{node}: {bid}"
            return True

        self._cluster.until(probe)

    @contextmanager
    def switched_off(self, node: str) -> Iterator[None]:
        """Say no as an owner does, and wait until no agent is on the node."""
        self._cluster.patch("node", node, {"metadata": {"labels": {LABEL: "off"}}})
        try:
            self._cluster.until(lambda: not self._pods(node))
            yield
        finally:
            self._cluster.patch("node", node, {"metadata": {"labels": {LABEL: None}}})

    @contextmanager
    def with_a_faster_node_of_an_owner(self, node: str, than: str) -> Iterator[None]:
        """Make a node faster than another one, though all members have to leave it when its owner comes back."""
        bid = {"onReturn": "Evict", "gracePeriodSeconds": 1, "capacity": "5"}
        self._cluster.patch("nodebid", node, {"spec": bid})
        # The operator hears of the bid and of gangs by watches of their own, in any order.
        self.until_faster(node, than=than)
        try:
            yield
        finally:
            # A node whose owner evicts stays closed for ten minutes after she has left: other tests need it.
            self._cluster.patch("nodebid", node, {"spec": {"onReturn": "Keep"}})

    def damage_history(self, node: str) -> None:
        """Leave a history that is unreadable."""
        (self._nodes[node].home / HISTORY / "history.json").write_bytes(b"\x00{" * 1000)

    def kill(self, node: str) -> None:
        """Kill a node's agent as a crash would, and return once its kubelet has started it again."""
        status = self._pod(node)["status"]["containerStatuses"][0]
        self._nodes[node].kill_container(status["containerID"].rpartition("/")[2])
        self._cluster.until(lambda: self._restarts(node) > status["restartCount"])

    @contextmanager
    def cut_off(self, node: str) -> Iterator[None]:
        """Lose whatever is sent to a node's agent."""
        lost = ("blackhole", self._pod(node)["status"]["podIP"])
        subprocess.run(["ip", "route", "prepend", *lost], check=True)
        try:
            yield
        finally:
            subprocess.run(["ip", "route", "delete", *lost], check=True)

    def log(self, node: str) -> str:
        """Return what a node's agent has written since it was started last."""
        pod = self._pod(node)["metadata"]["name"]
        return self._cluster.read_text(f"{_PODS}/{pod}/log?container=agent")

    def last_words(self, lines: int = 40) -> str:
        """Return each agent's pod and what it has written last, and the routes to all pods."""
        pods = self._cluster.read(_AGENTS)["items"]
        words = [f"--- {pod['spec'].get('nodeName')}: {json.dumps(pod['status'])}" for pod in pods]
        logs = (self._cluster.read_text(f"{_PODS}/{pod['metadata']['name']}/log") for pod in pods)
        tails = ("\n".join(log.splitlines()[-lines:]) for log in logs)
        routes = subprocess.run(["ip", "route"], capture_output=True, text=True, check=True).stdout
        return "\n".join([*(line for pair in zip(words, tails, strict=True) for line in pair), "--- routes", routes])

    def _is_measured(self, node: str) -> bool:
        """Whether the agent that is there has written the bid."""
        pods = self._pods(node)
        measured = self.bid(node).get("status", {}).get("measured", {})
        if len(pods) != 1 or "dutyCycle" not in measured:
            return False
        return bool(measured["since"] >= pods[0]["metadata"]["creationTimestamp"])

    def _restarts(self, node: str) -> int:
        statuses = self._pod(node)["status"].get("containerStatuses", [])
        return sum(int(status["restartCount"]) for status in statuses if "running" in status["state"])

    def _pod(self, node: str) -> Manifest:
        pods = self._pods(node)
        assert len(pods) == 1, f"{node}: {[pod['metadata'] for pod in pods]}"
        return pods[0]

    def _pods(self, node: str) -> list[Manifest]:
        return [pod for pod in self._cluster.read(_AGENTS)["items"] if pod["spec"].get("nodeName") == node]


class Login:
    """The logins at a node, none at first; without logind in the end."""

    def __init__(self, node: KubeletNode) -> None:
        self._node = node

    def __enter__(self) -> Self:
        """Have a logind without a session."""
        self._run(f"mkdir {SESSIONS}")
        return self

    def begin(self) -> None:
        """Let the owner log in at a screen."""
        self._run(f"printf 'CLASS=user\\nTYPE=x11\\nSTATE=active\\nACTIVE=1\\nSEAT=seat0\\n' > {SESSIONS}/1")

    def __exit__(self, *_: object) -> None:
        """End all of it."""
        self._run(f"rm -r {SESSIONS}")

    def _run(self, script: str) -> None:
        assert self._node.start_process("sh", "-c", script).wait() == 0


@contextmanager
def running(node: KubeletNode, *scripts: str) -> Iterator[None]:
    """Run something on a node that is no pod's."""
    processes = [node.start_process("sh", "-c", script) for script in scripts]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def _number(quantity: str | int) -> float:
    text = str(quantity)
    return float(text.removesuffix("m")) / (1000 if text.endswith("m") else 1)
