"""What nodes offered when a plan was made. A decision is checked against what they offer later."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple, Self

from lockstep.belief.state import State
from lockstep.facts.cluster.node import BidFact, NodeFact, OnReturn


class _Opening(NamedTuple):
    """When and for how many members a node is open, by its bid.

    Its speed is left out, because it may change every minute.
    """

    available_from: float | None
    available_until: float | None
    slots: int | None
    owner_present: bool | None
    on_return: OnReturn
    problem: str | None


class Offers(NamedTuple):
    """The nodes and their bids at one time, by node name."""

    nodes: Mapping[str, NodeFact]
    bids: Mapping[str, BidFact]

    @classmethod
    def of(cls, state: State) -> Self:
        """A copy of the nodes and bids in the cache."""
        return cls(dict(state.nodes), dict(state.bids.items()))

    def stand(self, names: Iterable[str], state: State) -> bool:
        """Whether these nodes and the openings in their bids are unchanged in the cache."""
        return all(
            name in state.nodes
            and state.nodes[name] == self.nodes.get(name)
            and _opening(state.bids.get(name)) == _opening(self.bids.get(name))
            for name in names
        )


NO_OFFERS = Offers({}, {})


def _opening(bid: BidFact | None) -> _Opening | None:
    if bid is None:
        return None
    return _Opening(bid.available_from, bid.available_until, bid.slots, bid.owner_present, bid.on_return, bid.problem)
