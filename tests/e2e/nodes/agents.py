"""The chart's agents on real nodes, and what is done to them."""

import json
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from e2e.cluster import Cluster, Manifest
from e2e.kubelet_node import KubeletNode
from e2e.node_space import HOME
from e2e.release import NAMESPACE

LIFETIME_SECONDS = 15
HISTORY = "lockstep-agent"
LABEL = "lockstep.dev/agent"
VALUES = (
    "agent.enabled=true",
    "agent.period=1s",
    f"agent.lifetime={LIFETIME_SECONDS}s",
    f"agent.historyDirectory={HOME / HISTORY}",
)
QUIET = 0.1
# So soon has a bid to follow.
BID_SECONDS = 120.0
# Where only load shows an owner, an agent that has just begun measures it for two minutes first.
OWNER_SECONDS = 120.0 + BID_SECONDS
_PODS = ("pods", f"--namespace={NAMESPACE}", "--selector=app.kubernetes.io/component=agent")


class Agents:
    """The agents of a cluster, one a node, and their bids."""

    def __init__(self, cluster: Cluster, nodes: Mapping[str, KubeletNode]) -> None:
        self._cluster = cluster
        self._nodes = nodes

    def bid(self, node: str) -> Manifest:
        """Return a node's bid."""
        return self._cluster.get("nodebid", node)

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
        return self._cluster.kubectl("logs", pod, f"--namespace={NAMESPACE}", "--container=agent")

    def last_words(self, lines: int = 40) -> str:
        """Return each agent's pod and what it has written last, and the routes to all pods."""
        pods = self._cluster.items(*_PODS)
        words = [f"--- {pod['spec'].get('nodeName')}: {json.dumps(pod['status'])}" for pod in pods]
        logs = (self._cluster.kubectl("logs", pod["metadata"]["name"], f"--namespace={NAMESPACE}") for pod in pods)
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
        return [pod for pod in self._cluster.items(*_PODS) if pod["spec"].get("nodeName") == node]


def _number(quantity: str | int) -> float:
    text = str(quantity)
    return float(text.removesuffix("m")) / (1000 if text.endswith("m") else 1)
