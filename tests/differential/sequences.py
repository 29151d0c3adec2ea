"""Pods that come one after the other, each for one node: kube-scheduler beside the rule as ``one_by_one.py`` has it."""

import asyncio
from random import Random
from typing import NamedTuple

from differential.cluster import PROBES, Cluster, RefusedError, cluster_of, together
from differential.draft import REQUIRED, Manifest, a_node, container
from differential.one_by_one import Pod, accepts
from differential.random_affinity import random_affinity, random_labels
from sandbox import Sandbox

AT_ONCE = 30
LONGEST = 5
# As in tests/operator/snapshot/affinity/test_affinity_exhaustive.py: two zones, a rack in both, a node outside.
NODES = {"n1": ("east", "a"), "n2": ("east", None), "n3": ("west", "a"), "n4": (None, None)}


class Sequence(NamedTuple):
    """Pods for nodes of one case, whose names and labels begin with its name."""

    case: str
    pods: list[tuple[dict[str, str], Manifest, str]]

    @property
    def nodes(self) -> dict[str, dict[str, str]]:
        """The labels of the case's nodes."""
        labels = {}
        for name, (zone, rack) in NODES.items():
            known = {"host": name, "zone": zone, "rack": rack}
            labels[f"{self.case}-{name}"] = {key: f"{self.case}-{value}" for key, value in known.items() if value}
        return labels


def random_sequence(rnd: Random, case: str) -> Sequence:
    """Pods of few kinds, so that they ask for each other."""
    kinds = [(random_labels(rnd), random_affinity(rnd, 2)) for _ in range(2)]
    pods = []
    for _ in range(LONGEST):
        labels, affinity = rnd.choice(kinds)
        pods.append(({**labels, "case": case}, _of_case(affinity, case), f"{case}-{rnd.choice(list(NODES))}"))
    return Sequence(case, pods)


def accepted_by_rule(sequence: Sequence, taken: list[bool]) -> list[bool]:
    """Whether each pod is accepted after those before it, of which these were ``taken``."""
    there: list[tuple[Pod, str]] = []
    verdicts = []
    for (labels, affinity, node), was_taken in zip(sequence.pods, taken, strict=True):
        pod = Pod(labels, affinity, PROBES)
        verdicts.append(accepts(sequence.nodes, there, pod, node))
        if was_taken:
            there.append((pod, node))
    return verdicts


async def compare_sequences(sandbox: Sandbox, *, sequences: int, seed: int) -> tuple[int, int, list[str]]:
    """Compare so many: how many pods kube-scheduler took, how many it did not, and what differs."""
    rnd = Random(seed)  # noqa: S311 - a case has to come again
    taken, refused, different = 0, 0, []
    async with cluster_of(sandbox) as cluster:
        await cluster.prepare()
        for first in range(0, sequences, AT_ONCE):
            those = [random_sequence(rnd, f"s{first + number}") for number in range(min(AT_ONCE, sequences - first))]
            for sequence, verdicts in zip(those, await _ask(cluster, those), strict=True):
                taken, refused = taken + sum(verdicts), refused + len(verdicts) - sum(verdicts)
                if accepted_by_rule(sequence, verdicts) != verdicts:
                    different.append(f"{sequence.pods}: kube-scheduler {verdicts}")
            await cluster.clear()
    return taken, refused, different


async def _ask(cluster: Cluster, sequences: list[Sequence]) -> list[list[bool]]:
    """What kube-scheduler makes of each pod after those before it; who is refused does not come back."""
    for sequence in sequences:
        for name, labels in sequence.nodes.items():
            node = a_node(name, "none")
            node["metadata"]["labels"] = labels
            await cluster.create("/api/v1/nodes", node)
    verdicts: list[list[bool]] = [[] for _ in sequences]
    for step in range(LONGEST):
        await together(_create(cluster, sequence, step) for sequence in sequences)
        names = {f"{sequence.case}-{step}" for sequence in sequences}
        pods = await cluster.until_decided(names)
        for sequence, verdict in zip(sequences, verdicts, strict=True):
            verdict.append(bool(pods[f"{sequence.case}-{step}"]["spec"].get("nodeName")))
        refused = [name for name in names if not pods[name]["spec"].get("nodeName")]
        await asyncio.gather(*(cluster.delete_probe(name) for name in refused))
    return verdicts


async def _create(cluster: Cluster, sequence: Sequence, step: int) -> RefusedError | None:
    labels, affinity, node = sequence.pods[step]
    here = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]}
    spec = {
        "containers": [container("main")],
        "affinity": {**affinity, "nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [here]}}},
    }
    metadata = {"name": f"{sequence.case}-{step}", "namespace": PROBES, "labels": labels}
    await cluster.create(f"/api/v1/namespaces/{PROBES}/pods", {"metadata": metadata, "spec": spec})
    return None


def _of_case(affinity: Manifest, case: str) -> Manifest:
    """The same terms for pods of the case alone."""
    return {kind: {REQUIRED: [_term_of_case(term, case) for term in one[REQUIRED]]} for kind, one in affinity.items()}


def _term_of_case(term: Manifest, case: str) -> Manifest:
    namespaces = {"namespaces": [PROBES]} if term.get("namespaces") == ["default"] else {}
    if term["labelSelector"] is None:
        return {**term, **namespaces}
    wanted = {**term["labelSelector"].get("matchLabels", {}), "case": case}
    return {**term, **namespaces, "labelSelector": {"matchLabels": wanted}}
