"""Random cases, decided by kube-scheduler and by the operator's own code; a difference is made as small as it gets."""

import itertools
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from differential import features_of_claims as claims
from differential import features_of_neighbours as pods_nearby
from differential import features_of_nodes as nodes
from differential import features_of_pods as pods
from differential import features_of_priorities as priorities
from differential import features_of_storage as storage
from differential import features_of_templates as templates
from differential.cluster import Cluster, RefusedError, Verdict, cluster_of, together
from differential.draft import Case, Draft, random_case
from differential.our_answer import as_template, belief_of
from sandbox import Sandbox

# Features that have to do with one another; a case has some of two of these.
GROUPS = (
    (*nodes.TAINTS, *templates.TOLERATIONS),
    (*nodes.LABELS, *templates.AFFINITY),
    (*nodes.AMOUNTS_OF_NODES, *pods.AMOUNTS_OF_PODS),
    (*nodes.AMOUNTS_OF_NODES, *pods.RESIZES),
    pods.PORTS,
    pods_nearby.ANTI_AFFINITY,
    pods_nearby.AFFINITY,
    (*pods_nearby.AFFINITY, *pods_nearby.ANTI_AFFINITY, *nodes.LABELS),
    pods_nearby.DISKS,
    claims.CLAIMS,
    claims.LIMITS,
    storage.STORAGE,
    (*storage.STORAGE, *claims.LIMITS),
    priorities.PRIORITIES,
)
AT_ONCE = 60
# kube-scheduler may look at a pod before it has seen all that was created before it.
TRIES = 3


@dataclass
class Tally:
    """What a comparison has found."""

    seed: int
    bound: int = 0
    refused: int = 0
    not_created: int = 0
    difference: str = ""

    @property
    def compared(self) -> int:
        """Decisions that both sides took."""
        return self.bound + self.refused

    def __str__(self) -> str:
        refused = f"{self.not_created} more pods refused by the API server"
        counted = f"{self.compared} decisions compared, {self.bound} of them to bind, {refused} (seed {self.seed})"
        return f"{counted}: {self.difference or 'no difference'}"


@dataclass
class Compared:
    """One case, decided by both.

    ``ours`` are reasons why a member would not be placed, by what is asked: the template as it is written, and what
    admission made of it.
    """

    case: Case
    draft: Draft
    verdict: Verdict
    ours: dict[str, str]

    @property
    def differs(self) -> bool:
        """Whether the two disagree."""
        return any(self.verdict.binds == bool(reason) for reason in self.ours.values())

    def __str__(self) -> str:
        theirs = "binds" if self.verdict.binds else self.verdict.says
        ours = [f"ours, {asked}: {reason or 'places'}" for asked, reason in self.ours.items()]
        lines = [f"kube-scheduler: {theirs}", *ours]
        lines += [f"- {feature.text}" for feature in self.case.features]
        manifests = {
            "node": self.draft.node,
            "others": self.draft.pods + self.draft.preemptors,
            "objects": self.draft.objects,
        }
        return "\n".join([*lines, json.dumps({**manifests, "pod": self.draft.spec})])


class Comparison:
    """Compares case after case on one control plane."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._names = (f"c{number}" for number in itertools.count(1))

    async def compare(self, cases: Sequence[Case]) -> Iterator[Compared]:
        """Decide on these cases side by side; those that the API server does not take are left out."""
        drafts = [case.draft(next(self._names)) for case in cases]
        built = await together(self._build(draft) for draft in drafts)
        there = [(case, draft) for case, draft, error in zip(cases, drafts, built, strict=True) if error is None]
        compared = await self._decide(there)
        for _ in range(TRIES - 1):
            again = [(one.case, one.draft) for one in compared if one.differs]
            agreeing = [one for one in compared if not one.differs]
            compared = agreeing + (await self._decide(again) if again else [])
        await self._cluster.clear()
        return iter(compared)

    async def _build(self, draft: Draft) -> RefusedError | None:
        try:
            await self._cluster.build(draft)
        except RefusedError as error:
            return error
        return None

    async def _decide(self, there: Sequence[tuple[Case, Draft]]) -> list[Compared]:
        belief = await belief_of(self._cluster.client)
        verdicts = await self._cluster.decide([draft for _, draft in there])
        compared = []
        for (case, draft), verdict in zip(there, verdicts, strict=True):
            if isinstance(verdict, RefusedError):
                continue
            ours = {"as created": belief.answer(as_template(verdict.pod))}
            if not draft.is_completed_by_admission:
                ours["as written"] = belief.answer(draft.template)
            compared.append(Compared(case, draft, verdict, ours))
        return compared

    async def smallest(self, found: Compared) -> Compared:
        """Drop features as long as what is left still shows a difference."""
        while True:
            fewer = [found.case.without(number) for number in range(len(found.case.features))]
            smaller = next((one for one in await self.compare(fewer) if one.differs), None)
            if smaller is None:
                return found
            found = smaller


async def compare_schedulers(sandbox: Sandbox, *, decisions: int, seed: int) -> Tally:
    """Compare so many random decisions, or until the first difference."""
    rnd, tally = Random(seed), Tally(seed)  # noqa: S311 - a case has to come again
    async with cluster_of(sandbox) as cluster:
        await cluster.prepare()
        comparison = Comparison(cluster)
        while tally.compared < decisions:
            cases = [random_case(rnd, GROUPS) for _ in range(AT_ONCE)]
            compared = list(await comparison.compare(cases))
            tally.bound += sum(one.verdict.binds for one in compared)
            tally.refused += sum(not one.verdict.binds for one in compared)
            tally.not_created += len(cases) - len(compared)
            different = next((one for one in compared if one.differs), None)
            if different is not None:
                tally.difference = f"the smallest case that differs:\n{await comparison.smallest(different)}"
                break
    return tally
