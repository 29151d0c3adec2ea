"""The claims of one gang with a reservation, by node and by name."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from itertools import groupby, islice
from typing import NamedTuple

from lockstep.api.members.claims import as_rank, claim_of, kept_stem
from lockstep.api.membership import pod_name
from lockstep.belief.holding.reservation import Reservation
from lockstep.facts.cluster.volume import ClaimKey, ClaimUse, Sharing, VolumeRequest
from lockstep.facts.gang.gang import GangFact
from lockstep.facts.pods.pod import PodKey
from lockstep.facts.ranks import has_rank

Uses = Mapping[str, tuple[ClaimUse, ...]]
"""The claims that the members of each role use."""


def uses_by_role(gang: GangFact) -> Uses:
    """The claims that the members of each role use."""
    return {role.name: role.claims for role in gang.spec.roles} if gang.spec else {}


class UsedClaim(NamedTuple):
    """A claim that a member uses.

    A missing claim is created with this ``request``; None if it is not created for this member.
    """

    key: ClaimKey
    request: VolumeRequest | None


class _Span(NamedTuple):
    """Members of one role on one node: ``size`` consecutive ranks from ``first`` on."""

    first: int
    size: int
    node: str
    role: str


class ClaimHolder:
    """The claims that the members of a reservation use, by the spec of its gang. Unknown roles use none."""

    def __init__(self, reservation: Reservation, uses: Uses) -> None:
        self.reservation = reservation
        self._spans = list(_spans(reservation))
        self.uses = {role: uses.get(role, ()) for role in dict.fromkeys(span.role for span in self._spans)}
        self._firsts = [span.first for span in self._spans]
        self._on: dict[str, list[_Span]] = {}
        for span in self._spans:
            self._on.setdefault(span.node, []).append(span)
        names: defaultdict[Sharing, set[str]] = defaultdict(set)
        for use in (use for of_role in self.uses.values() for use in of_role):
            names[use.sharing].add(use.claim)
        # The names of claims that are deleted with their pods begin with the names of these pods.
        self.shared, self._kept = names[Sharing.SHARED], names[Sharing.KEPT]

    @property
    def nodes(self) -> Collection[str]:
        """The nodes of the reservation's members."""
        return self._on.keys()

    def claims_on(self, node: str) -> Iterator[UsedClaim]:
        """The claims of the reservation's members on that node; a shared claim may occur several times."""
        succeeded = self.reservation.succeeded_ranks
        for first, size, _, role in self._on[node]:
            for use in self.uses[role]:
                for rank in range(first, first + (1 if use.sharing is Sharing.SHARED else size)):
                    yield UsedClaim(self._claim(use, rank), None if has_rank(succeeded, rank) else use.request)

    def names(self) -> Iterator[ClaimKey]:
        """Stems of the claims' names. Each claim's name is one of these, or begins with one of these and a dash."""
        gang, attempt = self.reservation.gang, self.reservation.attempt
        yield from (ClaimKey(gang.namespace, name) for name in self.shared)
        yield from (ClaimKey(gang.namespace, kept_stem(name, gang.name)) for name in self._kept)
        yield ClaimKey(gang.namespace, f"{gang.name}-{attempt}")

    def nodes_using(self, claim: str) -> Iterator[str]:
        """The nodes of members that use the claim of that name."""
        if claim in self.shared:
            for node, spans in self._on.items():
                uses = (use for span in spans for use in self.uses[span.role])
                if any(use.sharing is Sharing.SHARED and use.claim == claim for use in uses):
                    yield node
        for rank in self._ranks_named(claim):
            span = self._spans[bisect_right(self._firsts, rank) - 1]
            if any(self._claim(use, rank).name == claim for use in self.uses[span.role]):
                yield span.node

    def _ranks_named(self, claim: str) -> Iterator[int]:
        """The ranks whose own claim could have that name: a kept claim, or one that is deleted with its pod."""
        pod = pod_name(self.reservation.gang.name, self.reservation.attempt, 0).removesuffix("0")
        texts = [claim.rpartition("-")[2]]
        if claim.startswith(pod):
            texts.append(claim.removeprefix(pod).partition("-")[0])
        for rank in map(as_rank, texts):
            if rank is not None and self.reservation.has_rank(rank):
                yield rank

    def _claim(self, use: ClaimUse, rank: int) -> ClaimKey:
        gang = self.reservation.gang
        return claim_of(
            use, PodKey(gang.namespace, pod_name(gang.name, self.reservation.attempt, rank)), gang.name, rank
        )


def _spans(reservation: Reservation) -> Iterator[_Span]:
    """The reservation's members, in runs with consecutive ranks, one role and one node."""
    ranks = iter(reservation.ranks)
    for entry in reservation.members:
        own = list(islice(ranks, entry.count))
        for _, run in groupby(enumerate(own), key=lambda one: one[1] - one[0]):
            consecutive = [rank for _, rank in run]
            yield _Span(consecutive[0], len(consecutive), entry.node, entry.role)
