"""The pods of one Gang at one time: how many there are, and of which kinds."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from lockstep.belief.podgangs.group_terms import SharedTerms
from lockstep.facts.gang.gang import Refusal
from lockstep.facts.gang.role import Needs
from lockstep.facts.gang.source import Source
from lockstep.facts.pods.pod import Labels


class PodKind(NamedTuple):
    """What pods must have in common to be planned alike."""

    needs: Needs | Refusal
    priority_class: str
    source: Source
    owner: str
    selected: Labels
    preempts: bool = True


class PodsAlike(NamedTuple):
    """Pods that wait and are planned alike: their number, the name of one, and the labels that all of them have.

    ``roles`` has the number of these pods for each role of their Gang that they name.
    """

    kind: PodKind
    pods: int
    one: str
    labels: Labels
    roles: Mapping[str, int] = MappingProxyType({})


class SizedPods(NamedTuple):
    """The pods that an owner makes once it has one of these sizes.

    The size is the number of all pods. The ``fixed`` pods are the same at each size; all others are ``varying`` pods.
    """

    varying: PodsAlike
    fixed: Sequence[PodsAlike]
    sizes: range

    def within(self, least: int, most: int) -> "SizedPods":
        """A copy that has only the sizes from ``least`` to ``most``; it may have no sizes."""
        sizes = self.sizes
        skipped = max(0, -((sizes.start - least) // sizes.step))
        return self._replace(sizes=range(sizes.start + skipped * sizes.step, min(sizes.stop, most + 1), sizes.step))

    @property
    def alike(self) -> Sequence[PodsAlike]:
        """The pods of the largest size, as if they waited."""
        others = sum(one.pods for one in self.fixed)
        return [self.varying._replace(pods=self.sizes[-1] - others), *self.fixed]


class OwnPods(NamedTuple):
    """The pods of a Gang: ``going`` pods are on nodes, ``waiting`` pods wait, and ``succeeded`` pods have succeeded.

    ``alike`` has the waiting pods, by kind. ``first_created`` is the time at which the first waiting pod was created,
    whatever its owner; None if none waits. ``terms`` are the terms of the group in the pods: two different terms if the
    pods disagree. ``sized`` are the pods that the owner will make, if there are none yet. ``going_roles`` and
    ``succeeded_roles`` count pods by role of the Gang. ``deducted`` counts the succeeded pods that the Gang's minimum
    already leaves out. ``open`` counts all pods that have not ended: also those with scheduling gates, and those that
    are being deleted.
    """

    going: int
    waiting: int
    succeeded: int
    alike: Sequence[PodsAlike]
    first_created: float | None
    terms: Sequence[SharedTerms] = ()
    sized: SizedPods | None = None
    going_roles: Mapping[str, int] = MappingProxyType({})
    succeeded_roles: Mapping[str, int] = MappingProxyType({})
    deducted: int = 0
    open: int = 0

    def with_sized(self, sized: SizedPods) -> "OwnPods":
        """A copy with the pods that the owner will make. If there are pods, or no size is allowed, nothing changes."""
        if self.going or self.waiting or not sized.sizes:
            return self
        return self._replace(waiting=sized.sizes[-1], alike=sized.alike, sized=sized)
