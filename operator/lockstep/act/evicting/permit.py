"""The two conditions of evicting other controllers' pods: the administrator's right, and a decision about these pods.

Each is a value. No code sends an eviction without both.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lockstep.api.client import paths
from lockstep.api.client.answer import Answer
from lockstep.api.client.client import KubeClient
from lockstep.api.client.review import is_allowed, own_access_review
from lockstep.facts.pods.pod import PodKey


class EvictedPod(NamedTuple):
    """A pod that must be evicted. No other pod with its name is evicted."""

    key: PodKey
    uid: str


@dataclass(frozen=True, slots=True)
class EvictionDecision:
    """The pods of one Gang that must be evicted, and the effect of that, as a clause.

    ``with_owned`` says whether the objects that such a pod owns are deleted before it.
    """

    pods: Sequence[EvictedPod]
    effect: str
    with_owned: bool = False


class EvictionRight:
    """The right to evict pods, as the API server has just granted it. Raises ``ValueError`` for any other answer."""

    def __init__(self, review: Answer) -> None:
        if not review.is_success or not is_allowed(review.body):
            raise ValueError("the API server does not grant evictions")


@dataclass(frozen=True, slots=True)
class EvictionPermit:
    """The permit to evict the pods of a decision."""

    right: EvictionRight
    decision: EvictionDecision


async def eviction_right(client: KubeClient) -> EvictionRight | str:
    """The right to evict pods; a clause if the operator does not have it. Raises ``ApiUnavailableError``.

    The operator may work without this right, so a SelfSubjectAccessReview asks for it.
    """
    review = own_access_review(verb="create", group="", resource="pods", subresource="eviction")
    answer = await client.review(paths.OWN_ACCESS_REVIEWS, review)
    try:
        return EvictionRight(answer)
    except ValueError:
        return "the operator may not evict pods"
