"""Distributions of bids to measure with: arrays by the names that ``columns_of`` takes."""

from collections.abc import Callable

import numpy as np

from coschedule import Node
from coschedule.model.numbers import FloatArray

Distribution = Callable[[int], dict[str, FloatArray]]
"""Draws the bids of so many nodes; the same ones every time."""


def mixed(nodes: int) -> dict[str, FloatArray]:
    """Draw half of the nodes free now, the others later; half of them idle, the others with local work."""
    chance = np.random.default_rng(nodes)
    return {
        "start": np.where(chance.random(nodes) < 0.5, 0, chance.exponential(600, nodes)),
        "duty_cycle": np.where(chance.random(nodes) < 0.5, 0, chance.exponential(0.5, nodes)),
    }


def uniform(nodes: int) -> dict[str, FloatArray]:
    """Draw every start and every duty cycle different."""
    chance = np.random.default_rng(nodes)
    return {"start": 600 * chance.random(nodes), "duty_cycle": 2 * chance.random(nodes)}


def few_kinds(nodes: int) -> dict[str, FloatArray]:
    """Draw twenty starts and three duty cycles, as a cluster has them."""
    chance = np.random.default_rng(nodes)
    return {"start": 60.0 * chance.integers(20, size=nodes), "duty_cycle": chance.choice([0, 0.25, 0.5], nodes)}


def falling(nodes: int) -> dict[str, FloatArray]:
    """Let duty cycles fall slowly as starts rise: no node is better than another in both."""
    part = np.arange(nodes) / nodes
    return {"start": 100 * part, "duty_cycle": 3 - part}


def level(nodes: int) -> dict[str, FloatArray]:
    """Let all nodes that have started by s, slowest last, take until the same instant for every s, or nearly so."""
    order = np.arange(1, nodes + 1)
    start = 900 * (order - 1) / nodes
    slowdown = (1000 - start) * order / (100 * nodes)
    return {"start": start, "capacity": 1 / np.maximum(slowdown, 1e-6)}


def windowed(nodes: int) -> dict[str, FloatArray]:
    """Draw ``mixed`` bids and when each node is taken back."""
    bids = mixed(nodes)
    return bids | {"until": bids["start"] + np.random.default_rng(nodes + 1).exponential(2000, nodes)}


def as_nodes(bids: dict[str, FloatArray]) -> list[Node]:
    """Turn arrays into Node objects."""
    columns = [bids[name].tolist() for name in ("start", "duty_cycle")]
    return [Node(start=start, duty_cycle=duty) for start, duty in zip(*columns, strict=True)]


def with_slots(nodes: int, *, members: int, slowdowns: int) -> list[Node]:
    """Draw nodes that are slower the more members they hold, in some steps."""
    chance = np.random.default_rng(nodes)
    levels = np.linspace(1, 3, slowdowns)
    rising = np.sort(chance.choice(levels, (nodes, members)), axis=1).tolist()
    starts = mixed(nodes)["start"].tolist()
    return [Node(start=start, slowdowns=tuple(steps)) for start, steps in zip(starts, rising, strict=True)]
